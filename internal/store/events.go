package store

import (
	"context"
	"database/sql"

	"tocsin"
)

// Op names a change of evidence.
type Op string

// The changes of evidence, and what else a [Change] has for each.
const (
	ReportFiled     Op = "filed"     // Report; List if the list tells it
	ReportHidden    Op = "hidden"    // as above: hidden by the operator
	ReportRestored  Op = "restored"  // as above: published again by the operator
	ReportWithdrawn Op = "withdrawn" // as above: withdrawn by its reporter
	ReportRemoved   Op = "gone"      // as above: its list has it no longer, or has another version of it
	ReportDated     Op = "dated"     // as above: its date, or that of its reporter, was in the future and was corrected
	ReportReturned  Op = "returned"  // as above: its list, that had dropped it, has it again while it is hidden
	ReportErased    Op = "erased"    // as above: erased by the operator, perhaps with the only trace of the subject

	ReportBanned     Op = "banned"   // Report: its agent was banned
	ReportReinstated Op = "unbanned" // Report: the ban was lifted

	ListingAdded     Op = "listed"           // List, Chain, Kind
	ListingReturned  Op = "relisted"         // as above: it had been withdrawn
	ListingEdited    Op = "edited"           // as above: category, URL, name, program or aliases changed
	ListingWithdrawn Op = "delisted"         // as above
	ListRemoved      Op = "list_removed"     // as above: with its whole list, by the operator
	ListingHidden    Op = "listing_hidden"   // as above, and Report: hidden together with this report
	ListingRestored  Op = "listing_restored" // as above

	FamilyChanged Op = "family" // List, Family, OldFamily

	AgentProven   Op = "proven"   // Agent: its reports count as proven, or do so for longer
	AgentUnproven Op = "unproven" // Agent: they do not any more, or end sooner to do so
	AgentRenamed  Op = "renamed"  // Agent: its reports are shown with another name; no score changes
)

// The conditions of the partial indexes event_left, of subjects, and event_leaving, of reports. A statement repeats the
// condition so that the index is used.
const (
	indexLeft    = "op IN ('hidden', 'withdrawn', 'banned', 'gone', 'returned')"
	indexLeaving = "op IN ('hidden', 'withdrawn', 'banned')"
)

// Change is one event: the evidence about one subject has changed, and with it,
// for a domain, perhaps the answer about any name with the same
// [tocsin.Subject.Owner].
type Change struct {
	Seq     int64 // ascending in the order of commits
	At      tocsin.Time
	Op      Op
	Subject tocsin.Subject

	// What follows is empty where it does not apply; see the ops.
	Report            string // public id
	List              string
	Agent             string // public id
	Chain             string // CAIP-2, or "" for all
	Kind              tocsin.ListingKind
	Family, OldFamily string
}

// Changes returns up to limit changes of evidence after the one numbered after,
// in order; 0 begins with the first. An empty answer means that there are no
// more so far.
//
// A change is committed together with its events. Events are numbered by the
// one transaction at a time that changes evidence, so that Seq ascends in the
// order of commits: after a number was seen, no new event gets a smaller one.
// To follow the log, ask again with the last Seq received: nothing
// is lost or repeated, also after a restart. Numbers may have gaps. All events
// of one moment are not necessarily in one answer; what is on record may already
// be newer than the last event returned.
func (db *DB) Changes(ctx context.Context, after int64, limit int) ([]Change, error) {
	var changes []Change
	err := db.read(ctx, replica, func(s *conn) error {
		return s.each(ctx, `SELECT e.seq, e.at, e.op, s.kind, s.value, coalesce(r.id, ''), coalesce(list.name, ''),
				coalesce(a.public, ''), coalesce(e.chain, ''), coalesce(e.kind, ''), coalesce(e.family, ''), coalesce(e.was, '')
			FROM event e JOIN subject s ON s.id = e.subject LEFT JOIN report r ON r.seq = e.report
				LEFT JOIN list ON list.id = e.list LEFT JOIN agent a ON a.id = e.agent
			WHERE e.seq > $1 ORDER BY e.seq LIMIT $2`, []any{after, limit}, func(rows *sql.Rows) error {
			var c Change
			var at int64
			err := rows.Scan(&c.Seq, &at, &c.Op, &c.Subject.Kind, &c.Subject.Value, &c.Report, &c.List,
				&c.Agent, &c.Chain, &c.Kind, &c.Family, &c.OldFamily)
			c.At = tocsin.MicroTime(at)
			changes = append(changes, c)
			return err
		})
	})
	return changes, err
}

// The functions below write events. Each runs in the transaction of the change,
// and those that select what will change run before it.

// logReport records that a report was filed or changed, for each of its subjects.
func logReport(ctx context.Context, s *conn, at tocsin.Time, op Op, r *row) error {
	for i, subject := range r.draft.Subjects() {
		seq, err := s.insert(ctx, "seq", "INSERT INTO event (at, op, subject, report, list) VALUES ($1, $2, $3, $4, $5)",
			at.Micro(), string(op), r.subjects[i], r.seq, nullable(r.list))
		if err != nil {
			return err
		}
		s.written.last, s.written.subjects = seq, append(s.written.subjects, subject)
	}
	return nil
}

// logListing records that a list names a subject, otherwise, again or no longer.
func logListing(ctx context.Context, s *conn, at tocsin.Time, op Op, subject, list int64, k listingKey) error {
	seq, err := s.insert(ctx, "seq",
		"INSERT INTO event (at, op, subject, list, chain, kind) VALUES ($1, $2, $3, $4, $5, $6)",
		at.Micro(), string(op), subject, list, nullable(k.chain), string(k.kind))
	s.written.last, s.written.subjects = seq, append(s.written.subjects, k.subject)
	return err
}

// logAll records several events, whose subjects the caller adds to what is written.
func logAll(ctx context.Context, s *conn, into string, columns int, events []any) error {
	if len(events) == 0 {
		return nil
	}
	if err := s.insertRows(ctx, into, columns, events, "", nil); err != nil {
		return err
	}
	return s.row(ctx, "SELECT max(seq) FROM event", nil, &s.written.last)
}

// logFamily records that a list is about to move into another family, for each
// subject that it names.
func logFamily(ctx context.Context, s *conn, at tocsin.Time, list tocsin.List) error {
	s.written.unknown = true
	_, err := s.exec(ctx, `INSERT INTO event (at, op, subject, list, family, was)
		SELECT CAST($1 AS BIGINT), CAST($2 AS TEXT), named.subject, list.id, CAST($3 AS TEXT), list.family
		FROM list JOIN (SELECT DISTINCT subject, list FROM listing WHERE withdrawn IS NULL AND NOT hidden) named
			ON named.list = list.id
		WHERE list.name = $4 AND list.family <> $3 ORDER BY named.subject`,
		at.Micro(), string(FamilyChanged), list.Family, list.Name)
	return err
}

// logAgent records that the standing of an agent changes, for each subject of one
// kind of its published reports.
func logAgent(ctx context.Context, s *conn, at tocsin.Time, op Op, agent int64, kind tocsin.Kind) error {
	s.written.unknown = true
	_, err := s.exec(ctx, `INSERT INTO event (at, op, subject, agent)
		SELECT DISTINCT CAST($1 AS BIGINT), CAST($2 AS TEXT), rs.subject, rs.agent
		FROM report_subject rs JOIN subject s ON s.id = rs.subject WHERE rs.agent = $3 AND s.kind = $4`,
		at.Micro(), string(op), agent, string(kind))
	return err
}

// logRenamed records that an agent is about to get another name, for each subject of its published reports.
func logRenamed(ctx context.Context, s *conn, at tocsin.Time, agent int64, name string) error {
	s.written.unknown = true
	_, err := s.exec(ctx, `INSERT INTO event (at, op, subject, agent)
		SELECT DISTINCT CAST($1 AS BIGINT), CAST($2 AS TEXT), rs.subject, rs.agent
		FROM agent a JOIN report_subject rs ON rs.agent = a.id WHERE a.id = $3 AND coalesce(a.name, '') <> $4`,
		at.Micro(), string(AgentRenamed), agent, name)
	return err
}
