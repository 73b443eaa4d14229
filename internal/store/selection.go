package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"tocsin"
)

// Selection selects reports for the operator. Empty fields do not narrow it.
type Selection struct {
	Source     string       // [tocsin.Community], or the name of a list
	Agent      string       // public id of the agent that filed them
	SameSource string       // id of an anonymous report: those from the same network, as long as that is known
	Since      *tocsin.Time // recorded then or later
	Until      *tocsin.Time // recorded before
	// Status is "" for all; without a Subject, for all but [tocsin.Removed]. That is what lists have dropped, and not what
	// they have replaced by another version.
	Status  tocsin.Status
	Subject *tocsin.Subject // named by them
	Text    string          // words that stand in one of their fields, one after the other
}

// Selected is the result of a selection.
type Selected struct {
	IDs     []string        // of all, newest first
	First   []tocsin.Report // the newest of them
	OfLists int             // how many of all are of lists
}

// Select finds reports for the operator, whatever their status, with the first
// show of them. Text and Subject are looked for in every report that the other
// fields leave: of a million reports that takes some seconds.
func (db *DB) Select(ctx context.Context, sel Selection, show int) (found Selected, err error) {
	phrase := foldText(sel.Text)
	if sel.Text != "" && phrase == "" {
		return found, &tocsin.Error{Code: tocsin.Invalid, Detail: fmt.Sprintf("%.40q has no word to look for", sel.Text)}
	}
	err = db.read(ctx, replica, func(s *conn) error {
		where, args, err := db.conditions(ctx, s, sel)
		if err != nil {
			return err
		}
		var first []int64
		body := "''"
		if phrase != "" || sel.Subject != nil {
			body = "r.body"
		}
		query := "SELECT r.seq, r.id, r.list IS NOT NULL, " + body + " FROM report r WHERE " + where + " ORDER BY r.seq DESC"
		err = s.each(ctx, query, args, func(rows *sql.Rows) error {
			var seq int64
			var id string
			var ofList bool
			var body []byte
			if err := rows.Scan(&seq, &id, &ofList, &body); err != nil {
				return err
			}
			if len(body) > 0 {
				if yes, err := sel.matches(body, phrase); err != nil || !yes {
					return err
				}
			}
			if ofList {
				found.OfLists++
			}
			if found.IDs = append(found.IDs, id); len(found.IDs) <= show {
				first = append(first, seq)
			}
			return nil
		})
		if err != nil {
			return err
		}
		for len(first) > 0 { // a page may end before its limit
			page := Page{Limit: 500}
			reports, err := readThese(ctx, s, first[:min(len(first), page.Limit)], page)
			if err != nil {
				return err
			}
			first = first[len(reports):]
			found.First = append(found.First, reports...)
		}
		return nil
	})
	return found, err
}

// conditions returns what of a selection the database can decide.
func (db *DB) conditions(ctx context.Context, s *conn, sel Selection) (where string, args []any, err error) {
	conditions := []string{"r.status <> 'gone'"}
	if sel.Subject != nil {
		conditions = nil
	}
	and := func(condition string, value any) {
		args = append(args, value)
		conditions = append(conditions, fmt.Sprintf(condition, len(args)))
	}
	if sel.Status != "" {
		conditions = nil
		and("r.status = $%d", string(sel.Status))
	}
	if sel.Status == tocsin.Removed { // and not replaced: of each story the last version, if it is not on record any more
		conditions = append(conditions,
			"r.seq IN (SELECT max(seq) FROM report WHERE status = 'gone' GROUP BY list, list_key)",
			`NOT EXISTS (SELECT 1 FROM report o WHERE o.list = r.list AND o.list_key = r.list_key AND o.list_key IS NOT NULL
				AND o.status <> 'gone')`)
	}
	switch {
	case sel.Source == tocsin.Community:
		conditions = append(conditions, "r.list IS NULL")
	case sel.Source != "":
		and("r.list = (SELECT id FROM list WHERE name = $%d)", sel.Source)
	}
	if sel.Agent != "" {
		and("r.agent = (SELECT id FROM agent WHERE public = $%d)", sel.Agent)
	}
	if sel.Since != nil {
		and("r.created >= $%d", sel.Since.Micro())
	}
	if sel.Until != nil {
		and("r.created < $%d", sel.Until.Micro())
	}
	if sel.Subject != nil {
		and(s.dialect.contains("lower(r.body)", "$%d"), sel.Subject.Value) // the JSON of a subject has no escapes
	}
	if sel.SameSource != "" {
		seq, err := db.anonymous(ctx, s, sel.SameSource)
		if err != nil {
			return "", nil, err
		}
		// Names under different salts are never equal.
		and(`r.seq IN (SELECT o.report FROM origin own JOIN origin o
			ON o.name IN (own.name, own.earlier) OR o.earlier = own.name WHERE own.report = $%d)`, seq)
	}
	return strings.Join(conditions, " AND "), args, nil
}

// matches reports whether a report has the subject and the phrase of a selection.
func (sel *Selection) matches(body []byte, phrase string) (bool, error) {
	var d tocsin.Draft
	if err := json.Unmarshal(body, &d); err != nil {
		return false, err
	}
	if sel.Subject != nil && !slices.Contains(d.Subjects(), *sel.Subject) {
		return false, nil
	}
	if phrase == "" {
		return true, nil
	}
	words := wordsOfDraft(0, &d)
	fields := []string{words.title, words.description, words.project}
	evidence := slices.Concat(d.Evidence.URLs, d.Evidence.TransactionHashes)
	for _, one := range slices.Concat(d.ScammerAddresses, d.ReportedDomains, d.ScammerAccounts, evidence) {
		fields = append(fields, foldText(one))
	}
	return slices.ContainsFunc(append(fields, words.handles), func(field string) bool {
		return strings.Contains(" "+field+" ", " "+phrase+" ")
	}), nil
}

// anonymous returns the number of an anonymous report whose network is still known
// by a hash. Otherwise the error says why not.
func (db *DB) anonymous(ctx context.Context, s *conn, id string) (seq int64, err error) {
	var created int64
	var agent, list string
	var known bool
	err = s.row(ctx, `SELECT r.seq, r.created, coalesce(a.public, ''), coalesce(list.name, ''),
			EXISTS (SELECT 1 FROM origin o WHERE o.report = r.seq)
		FROM report r LEFT JOIN agent a ON a.id = r.agent LEFT JOIN list ON list.id = r.list WHERE r.id = $1`,
		[]any{id}, &seq, &created, &agent, &list, &known)
	why := ""
	switch at := tocsin.MicroTime(created); {
	case missing(err):
		return 0, noReport(id)
	case err != nil || known:
		return seq, err
	case agent != "":
		why = "it was filed with a key, by the agent " + agent
	case list != "":
		why = "it is from the list " + list
	case day(at) < day(db.Now())-1:
		why = "it was filed on " + at.Std().Format(time.DateOnly) + ", and the hash of a network is deleted with the salt " +
			"of its day, after the day that follows (UTC)"
	default:
		why = "no hash of its network was stored when it was filed, or it was erased"
	}
	return 0, &tocsin.Error{Code: tocsin.Invalid, Detail: "the source of " + id + " is not known: " + why}
}
