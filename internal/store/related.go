package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"tocsin"
)

// What is read of the reports of one subject, so that nobody can make its page dear by filing many large ones. They
// are read whole, since what a report names is not indexed by report.
const (
	maxOutlines     = 500
	maxOutlineBytes = 1 << 20 // of the reports as they are stored; one more may be read
)

// Outlines returns the outlines of the newest published reports that name any of some names, newest first. There must
// be a name, and all must be of one kind. It reads at most 500 reports, and fewer if they have more than a megabyte.
func (db *DB) Outlines(ctx context.Context, names []tocsin.Subject) ([]tocsin.Outline, error) {
	if err := db.current(); err != nil {
		return nil, err
	}
	values := make([]string, len(names))
	for i, name := range names {
		values[i] = name.Value
	}
	in, args := placeholders(values)
	n := len(args)
	query := fmt.Sprintf(`SELECT r.published, r.body FROM report r WHERE r.seq IN (
			SELECT rs.report FROM report_subject rs JOIN subject s ON s.id = rs.subject
			WHERE s.value IN (%s) AND s.kind = $%d
			GROUP BY rs.report ORDER BY max(rs.published) DESC, rs.report DESC LIMIT $%d)
		ORDER BY r.published DESC, r.seq DESC`, in, n+1, n+2)
	var outlines []tocsin.Outline
	size := 0
	err := db.read(ctx, replica, func(s *conn) error {
		err := s.each(ctx, query, append(args, string(names[0].Kind), maxOutlines), func(rows *sql.Rows) error {
			var r tocsin.Report
			var published int64
			var body []byte
			if err := rows.Scan(&published, &body); err != nil {
				return err
			}
			if err := json.Unmarshal(body, &r.Draft); err != nil {
				return err
			}
			if at := tocsin.MicroTime(published); at != undated {
				r.PublishedAt = &at
			}
			outlines = append(outlines, r.Outline())
			if size += len(body); size > maxOutlineBytes {
				return errPageFull
			}
			return nil
		})
		if errors.Is(err, errPageFull) {
			return nil
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read outlines of reports: %w", err)
	}
	return outlines, nil
}

// RelatedTo returns the subjects that the newest published reports in the dossier of a subject name together with it,
// those in most reports first, at most limit of them, and its [DB.SameParty]. See [DB.Outlines] for how many reports
// are read.
func (db *DB) RelatedTo(
	ctx context.Context, subject tocsin.Subject, limit, accounts int,
) (related []tocsin.Related, same []tocsin.Party, err error) {
	d, err := db.AboutSubject(ctx, subject, Page{})
	if err != nil {
		return nil, nil, err
	}
	same, err = db.SameParty(ctx, subject, d.Listings, accounts)
	if err != nil || d.ReportCount == 0 {
		return nil, same, err
	}
	names := d.ReportedNames(subject)
	outlines, err := db.Outlines(ctx, names)
	if err != nil {
		return nil, nil, err
	}
	related = tocsin.NamedTogether(outlines, names...)
	return related[:min(limit, len(related))], same, nil
}

// NamesUnder returns the names below a domain that lists of risk or sanctions, or reports, name, at most limit of them;
// see [readmodel.Model.Under]. No index of the database has them: known is false while the read model is not loaded,
// and of a database without one.
func (db *DB) NamesUnder(domain tocsin.Subject, limit int) (names []tocsin.Subject, known bool) {
	current := db.model.current.Load()
	if current == nil {
		return nil, false
	}
	return current.Under(domain, limit), true
}
