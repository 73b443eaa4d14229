package store

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"tocsin"
)

// Filter narrows a list of reports.
type Filter struct {
	CrimeType tocsin.CrimeType // "" for all
	Source    string           // tocsin.Community, the name of a list, or "" for all
	Agent     string           // only those that the agent with this public id filed; "" for all
	Since     *tocsin.Time     // only what was recorded after it, oldest first
	Page
}

// Listed is one page of reports.
type Listed struct {
	Reports    []tocsin.Report
	NextCursor string      // without Since: where the next page begins, "" at the end
	NextSince  tocsin.Time // oldest first: what to ask for since next time
	Found      int         // by a search: how many there are on all its pages, up to SearchWindow
	Partial    bool        // there may be more: it looked among the last KindWindow matches only, for a name SearchWindow
	Unnamed    bool        // none of them names the account that was searched for: they have its name as a word
}

// Reports returns one page of the published reports: newest first by their own
// dates, those without a date last; or with Since everything recorded after it,
// oldest first. Following NextSince loses and repeats nothing, since reports are
// recorded one after the other and no two at the same microsecond. Following
// NextCursor repeats nothing and loses nothing that was there at the first page. A source that is not on record is a
// fault of the caller.
func (db *DB) Reports(ctx context.Context, f Filter) (Listed, error) {
	before, err := readCursor(f.Cursor)
	if err != nil {
		return Listed{}, err
	}
	var page Listed
	var newest int64 // when the newest report up to f.Since was recorded
	err = db.read(ctx, replica, func(s *conn) error {
		where, args := []string{"r.status = 'published'"}, []any{}
		and := func(condition string, value any) {
			args = append(args, value)
			where = append(where, fmt.Sprintf(condition, len(args)))
		}
		if f.CrimeType != "" {
			and("r.crime_type = $%d", string(f.CrimeType))
		}
		if f.Source == tocsin.Community {
			where = append(where, "r.list IS NULL")
		} else if f.Source != "" {
			var list int64
			if err := s.row(ctx, "SELECT id FROM list WHERE name = $1", []any{f.Source}, &list); missing(err) {
				return noSource(f.Source)
			} else if err != nil {
				return err
			}
			and("r.list = $%d", list)
		}
		if f.Agent != "" {
			and("r.agent = (SELECT id FROM agent WHERE public = $%d)", f.Agent)
		}
		// What was filed here is dated when it is recorded, so both orders are the same for it.
		recorded := f.Agent != "" || f.Source == tocsin.Community
		order := "r.published DESC, r.seq DESC"
		if recorded {
			order = "r.seq DESC"
		}
		if f.Since != nil {
			since, err := effectiveSince(ctx, s, f.Since.Micro(), db.Now().Micro())
			if err != nil {
				return err
			}
			var after int64
			err = s.row(ctx, "SELECT seq, created FROM report WHERE created <= $1 ORDER BY created DESC LIMIT 1",
				[]any{since}, &after, &newest)
			if err != nil && !missing(err) {
				return err
			}
			and("r.seq > $%d", after)
			order = "r.seq"
		} else if recorded {
			and("r.seq < $%d", before.seq)
		} else if before.published == undated.Micro() { // of these there may be very many with one date
			and("r.published = $%d", before.published)
			and("r.seq < $%d", before.seq)
		} else {
			args = append(args, before.published, before.seq)
			where = append(where, fmt.Sprintf("(r.published, r.seq) < ($%d, $%d)", len(args)-1, len(args)))
		}
		args = append(args, f.Limit+1)
		var err error
		page.Reports, _, page.NextCursor, err = readReports(ctx, s,
			strings.Join(where, " AND ")+" ORDER BY "+order+fmt.Sprintf(" LIMIT $%d", len(args)), args, f.Page)
		return err
	})
	if f.Since != nil {
		page.NextCursor = ""
		// A since in the future must not skip reports that are filed before it. A
		// clock that stops or goes back is behind the newest report.
		page.NextSince = tocsin.MicroTime(min(f.Since.Micro(), max(db.Now().Micro(), newest)))
		if n := len(page.Reports); n > 0 {
			page.NextSince = page.Reports[n-1].CreatedAt
		}
	}
	return page, err
}

// noSource is the fault of a source that is not on record.
func noSource(name string) error {
	return tocsin.Faults([]tocsin.Fault{{
		Field:  "source",
		Reason: fmt.Sprintf("no list with the name %q was imported here", tocsin.Shorten(name, 100)),
		Fix:    "send community, or the name of a list in /api/v1/stats",
	}})
}

// Report returns a published report. That of one that is gone is a fault that says how and when, and nothing of what it
// said; of one that was erased nothing is said.
func (db *DB) Report(ctx context.Context, id string) (tocsin.Report, error) {
	r, err := db.AnyReport(ctx, id)
	if err != nil || r.Status == tocsin.Published {
		return r, err
	}
	return tocsin.Report{}, db.gone(ctx, r)
}

// gone is the fault of a report that is published no more.
func (db *DB) gone(ctx context.Context, r tocsin.Report) error {
	var fault tocsin.Error
	switch r.Status {
	case tocsin.Withdrawn:
		fault = tocsin.Error{Code: tocsin.ReportWithdrawn, Detail: "Its reporter has withdrawn this report"}
		switch by, err := db.Correction(ctx, r.ID); {
		case err != nil:
			return err
		case by != "":
			fault.Detail = "Its reporter has corrected this report, which is now " + by
		}
	case tocsin.Hidden, tocsin.Banned:
		fault = tocsin.Error{Code: tocsin.ReportHidden, Detail: "The operator has hidden this report"}
	case tocsin.Removed:
		return &tocsin.Error{Code: tocsin.ReportDropped, Detail: "The list that this report comes from has it no longer"}
	default:
		return noReport(r.ID)
	}
	err := db.read(ctx, primary, func(s *conn) error {
		var at sql.NullInt64 // forget deletes old events
		err := s.row(ctx, "SELECT max(at) FROM event WHERE report = (SELECT seq FROM report WHERE id = $1) AND "+indexLeaving,
			[]any{r.ID}, &at)
		if at.Valid {
			day := tocsin.MicroTime(at.Int64)
			fault.At = &day
			fault.Detail += ", on " + day.Std().UTC().Format(time.DateOnly)
		}
		return err
	})
	if err != nil {
		return err
	}
	return &fault
}

// AnyReport returns a report whatever its status, for the operator.
func (db *DB) AnyReport(ctx context.Context, id string) (tocsin.Report, error) {
	var found []tocsin.Report
	err := db.read(ctx, primary, func(s *conn) (err error) {
		found, _, _, err = readReports(ctx, s, "r.id = $1", []any{id}, Page{Limit: 1})
		return err
	})
	switch {
	case err != nil:
		return tocsin.Report{}, err
	case len(found) == 0:
		return tocsin.Report{}, noReport(id)
	}
	return found[0], nil
}

func noReport(id string) error { return notFound("there is no report %.40q", id) }

// readThese reads reports by their seq, in that order, as many as a page takes.
func readThese(ctx context.Context, s *conn, seqs []int64, p Page) ([]tocsin.Report, error) {
	if len(seqs) == 0 {
		return []tocsin.Report{}, nil
	}
	in, args := placeholders(seqs)
	order := strings.Builder{}
	for i := range seqs {
		fmt.Fprintf(&order, " WHEN $%d THEN %d", i+1, i)
	}
	reports, _, _, err := readReports(
		ctx,
		s,
		"r.seq IN ("+in+") ORDER BY CASE r.seq"+order.String()+" END",
		args,
		p,
	)
	return reports, err
}

// end is where a page ends that has a report as its last.
type end struct {
	cursor string // of the page that begins after it
	bytes  int    // of the reports up to it, as they are stored
}

// errPageFull ends the reading of a page.
var errPageFull = errors.New("the page is full")

// readReports reads a page of the reports that the condition selects, in its order,
// with the end of each; next is the cursor of the next page if there are more. The
// condition should select one report more than the page takes.
func readReports(
	ctx context.Context, s *conn, condition string, args []any, page Page,
) (reports []tocsin.Report, ends []end, next string, err error) {
	reports = []tocsin.Report{}
	size := 0
	err = s.each(
		ctx,
		`SELECT r.seq, r.id, r.created, r.published, coalesce(list.name, ''), a.public, a.name, r.status, r.body
		FROM report r LEFT JOIN list ON list.id = r.list LEFT JOIN agent a ON a.id = r.agent WHERE `+condition,
		args,
		func(rows *sql.Rows) error {
			var r tocsin.Report
			var seq, created, published int64
			var agent, name sql.NullString
			var body []byte
			if err := rows.Scan(&seq, &r.ID, &created, &published, &r.Source, &agent, &name, &r.Status, &body); err != nil {
				return err
			}
			size += len(body)
			if n := len(reports); n > 0 && (n >= page.Limit || size > page.bytes()) {
				next = ends[n-1].cursor
				return errPageFull
			}
			if err := json.Unmarshal(body, &r.Draft); err != nil {
				return fmt.Errorf("report %s: %w", r.ID, err)
			}
			r.CreatedAt = tocsin.MicroTime(created)
			if at := tocsin.MicroTime(published); at != undated {
				r.PublishedAt = &at
			}
			if r.Source == "" {
				r.Source = tocsin.Community
			}
			if agent.Valid {
				r.Reporter = &tocsin.Reporter{ID: agent.String}
				if name.Valid {
					r.Reporter.Name = &name.String
				}
			}
			reports, ends = append(reports, r), append(ends, end{cursor(place{published, seq}), size})
			return nil
		},
	)
	if errors.Is(err, errPageFull) {
		err = nil
	}
	return reports, ends, next, err
}

// Cursors say up to which report a list was read. They are the same after a
// restart and in a copy of the database. (Form 1 had the seq alone.)

// place is where a report is in a list that is ordered by date.
type place struct{ published, seq int64 }

func cursor(at place) string {
	return base64.RawURLEncoding.EncodeToString(
		binary.AppendUvarint(binary.AppendUvarint([]byte{3}, uint64(at.published)), uint64(at.seq)),
	)
}

func searchCursor(top, skip int64) string {
	return base64.RawURLEncoding.EncodeToString(
		binary.AppendUvarint(binary.AppendUvarint([]byte{2}, uint64(top)), uint64(skip)),
	)
}

func readCursor(text string) (place, error) {
	if text == "" {
		return place{math.MaxInt64, math.MaxInt64}, nil
	}
	numbers, err := readNumbers(text, 3, 2)
	if err != nil {
		return place{}, err
	}
	return place{numbers[0], numbers[1]}, nil
}

func readSearchCursor(text string) (top, skip int64, err error) {
	if text == "" {
		return 0, 0, nil
	}
	numbers, err := readNumbers(text, 2, 2)
	if err != nil {
		return 0, 0, err
	}
	return numbers[0], min(numbers[1], SearchWindow), nil
}

func readNumbers(text string, form byte, n int) ([]int64, error) {
	bad := tocsin.Faults(
		[]tocsin.Fault{
			{
				Field:  "cursor",
				Reason: "it is not a cursor of this list",
				Fix:    "send the nextCursor of the page before, or leave it off",
			},
		},
	)
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(raw) == 0 || raw[0] != form {
		return nil, bad
	}
	numbers := make([]int64, n)
	raw = raw[1:]
	for i := range numbers {
		v, used := binary.Uvarint(raw)
		if used <= 0 || v > math.MaxInt64 {
			return nil, bad
		}
		numbers[i], raw = int64(v), raw[used:]
	}
	if len(raw) > 0 {
		return nil, bad
	}
	return numbers, nil
}
