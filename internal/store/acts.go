package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"tocsin"
)

// Operator is who runs a command, and why. Both are shown in the log of acts.
type Operator struct {
	Name   string
	Reason string // "" if none was given
}

// Action names what the operator did.
type Action string

// The acts of the operator, and what each is about.
const (
	HidReports      Action = "hide"            // reports
	RestoredReports Action = "restore"         // reports
	ErasedReports   Action = "erase"           // reports
	BannedAgent     Action = "ban"             // the agent, and the reports that stopped counting
	UnbannedAgent   Action = "unban"           // the agent, and the reports that count again
	ErasedAgent     Action = "agent erase"     // the agent
	CreatedKey      Action = "key create"      // the beginning of the key, and its agent
	RevokedKey      Action = "key revoke"      // the beginning of the key
	ImportedList    Action = "import"          // the list, what the import did, and what it took off the safelist
	ForcedImport    Action = "import force"    // likewise
	RemovedList     Action = "list remove"     // the list, and what was withdrawn
	AddedSafe       Action = "safelist add"    // the subjects, and what each is from then on
	RemovedSafe     Action = "safelist remove" // the subjects
	ChangedFiling   Action = "filing"          // how filing is from then on
	ChangedReadOnly Action = "read-only"       // on or off
	MendedDates     Action = "clock mend"      // nothing
	ClosedPayment   Action = "payment close"   // the payment, and whether it was paid
)

// Act is one act of the operator.
type Act struct {
	At       tocsin.Time `json:"at"`
	Operator string      `json:"operator"`
	Action   Action      `json:"act"`
	Objects  []string    `json:"objects"` // see [Action]
	Reason   string      `json:"reason"`
}

// act is an act that is being carried out, perhaps in several transactions.
// All of them add to one row of the log.
type act struct {
	by     Operator
	action Action
	seq    int64 // 0 before the first transaction has committed
}

// carry carries out a part of an act in a transaction, and records what it was about. No objects mean that nothing was
// changed; then nothing is recorded.
func (db *DB) carry(
	ctx context.Context, a *act, do func(ctx context.Context, s *conn, now tocsin.Time) (objects []string, err error),
) error {
	var seq int64
	err := db.write(ctx, evidence, true, func(ctx context.Context, s *conn) error {
		seq = a.seq
		now := db.Now()
		objects, err := do(ctx, s, now)
		if err == nil && len(objects) > 0 {
			seq, err = a.log(ctx, s, now, objects...)
		}
		return err
	})
	if err == nil { // or the row was taken back
		a.seq = seq
	}
	return err
}

// log records what a transaction of the act changes. The caller sets a.seq to the
// result once that has committed: see [DB.carry].
func (a *act) log(ctx context.Context, s *conn, at tocsin.Time, objects ...string) (seq int64, err error) {
	if seq = a.seq; seq == 0 {
		seq, err = s.insert(ctx, "seq", "INSERT INTO act (at, operator, op, reason) VALUES ($1, $2, $3, $4)",
			at.Micro(), a.by.Name, string(a.action), a.by.Reason)
		if err != nil {
			return 0, err
		}
	}
	for _, object := range objects {
		if _, err := s.exec(ctx, "INSERT INTO act_object (act, object) VALUES ($1, $2) ON CONFLICT DO NOTHING",
			seq, object); err != nil {
			return 0, err
		}
	}
	return seq, nil
}

// ActFilter narrows the log of acts.
type ActFilter struct {
	Since    tocsin.Time
	Operator string // "" for all
	Object   string // what the act was about, see [Action]; "" for all
	Subject  *tocsin.Subject
	Limit    int // the newest so many
}

// Acts returns acts of the operator, oldest first. With a Subject they are those
// about it, and about reports that named it.
func (db *DB) Acts(ctx context.Context, f ActFilter) ([]Act, error) {
	where, args := []string{"at >= $1"}, []any{f.Since.Micro()}
	and := func(condition string, values ...any) {
		var marks []any
		for _, v := range values {
			args = append(args, v)
			marks = append(marks, len(args))
		}
		where = append(where, fmt.Sprintf(condition, marks...))
	}
	if f.Operator != "" {
		and("operator = $%d", f.Operator)
	}
	if f.Object != "" {
		and("seq IN (SELECT act FROM act_object WHERE object = $%d)", f.Object)
	}
	if f.Subject != nil {
		and(`seq IN (SELECT o.act FROM subject s JOIN event e ON e.subject = s.id JOIN report r ON r.seq = e.report
			JOIN act_object o ON o.object = r.id WHERE s.kind = $%d AND s.value = $%d
			UNION SELECT act FROM act_object WHERE object = $%d)`,
			string(f.Subject.Kind), f.Subject.Value, f.Subject.String())
	}
	args = append(args, f.Limit)
	var acts []Act
	err := db.read(ctx, replica, func(s *conn) error {
		index := map[int64]int{} // of acts
		query := fmt.Sprintf(`SELECT newest.seq, newest.at, newest.operator, newest.op, newest.reason, coalesce(o.object, '')
			FROM (SELECT * FROM act WHERE %s ORDER BY seq DESC LIMIT $%d) newest LEFT JOIN act_object o ON o.act = newest.seq
			ORDER BY newest.seq, o.object`, strings.Join(where, " AND "), len(args))
		return s.each(ctx, query, args, func(rows *sql.Rows) error {
			var a Act
			var seq, at int64
			var object string
			if err := rows.Scan(&seq, &at, &a.Operator, &a.Action, &a.Reason, &object); err != nil {
				return err
			}
			i, known := index[seq]
			if !known {
				i, a.At = len(acts), tocsin.MicroTime(at)
				index[seq], acts = i, append(acts, a)
			}
			acts[i].Objects = append(acts[i].Objects, object)
			return nil
		})
	})
	return acts, err
}
