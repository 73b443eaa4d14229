package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"

	"tocsin"
)

// ImportFault is why the last import of a list failed.
type ImportFault struct {
	List   string      `json:"-"`
	Reason string      `json:"reason"` // a class, never the text of others: download, read, shrunk, write
	At     tocsin.Time `json:"at"`
}

// NoteImport records why the last import of a list failed; "" records that it succeeded.
func (db *DB) NoteImport(ctx context.Context, list, reason string) error {
	return db.write(ctx, accounts, true, func(ctx context.Context, s *conn) error {
		if reason == "" {
			_, err := s.exec(ctx, "DELETE FROM meta WHERE name = $1", metaImport+list)
			return err
		}
		text, err := json.Marshal(ImportFault{Reason: reason, At: db.Now()})
		if err != nil {
			return err
		}
		return setMeta(ctx, s, metaImport+list, text)
	})
}

// importFaults reads which lists failed to be imported the last time, by name.
func importFaults(ctx context.Context, s *conn) (all []ImportFault, err error) {
	err = s.each(ctx, "SELECT name, value FROM meta WHERE name LIKE $1 ORDER BY name", []any{metaImport + "%"},
		func(rows *sql.Rows) error {
			var name string
			var text []byte
			if err := rows.Scan(&name, &text); err != nil {
				return err
			}
			f := ImportFault{List: strings.TrimPrefix(name, metaImport)}
			err := json.Unmarshal(text, &f)
			all = append(all, f)
			return err
		})
	return all, err
}
