package store

import (
	"context"
	"database/sql"
	"encoding/json"

	"tocsin"
)

// The schemas with which reports are indexed again.
const (
	reindexed           = 6  // all of them: the index of SQLite begins anew
	transactionsIndexed = 14 // those that are found by more than before: by their transactions, or a number of WhatsApp
)

// reindex indexes all published reports, or those alone that schema 14 finds by more. Write makes the changes that
// [conn.index] has collected.
func reindex(ctx context.Context, s *conn, all bool, write func(context.Context, *conn) error) error {
	for last, more := int64(0), true; more; {
		more, s.state.words = false, s.state.words[:0]
		err := s.each(ctx, "SELECT seq, body FROM report WHERE seq > $1 AND status = 'published' ORDER BY seq LIMIT 1000",
			[]any{last}, func(rows *sql.Rows) error {
				more = true
				var body []byte
				var draft tocsin.Draft
				if err := rows.Scan(&last, &body); err != nil {
					return err
				}
				if err := json.Unmarshal(body, &draft); err != nil {
					return err
				}
				if !all && len(transactionsOf(&draft)) == 0 && draft.SocialMedia.WhatsApp == nil {
					return nil
				}
				if !all {
					s.index(wordsOf{report: last, gone: true})
				}
				s.index(wordsOfDraft(last, &draft))
				return nil
			})
		if err != nil {
			return err
		}
		if err := write(ctx, s); err != nil {
			return err
		}
	}
	s.state.words = s.state.words[:0]
	return nil
}
