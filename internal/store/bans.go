package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"tocsin"
)

// AgentInfo describes an agent for the operator.
type AgentInfo struct {
	tocsin.Agent
	Created   tocsin.Time  `json:"createdAt"`
	Banned    *tocsin.Time `json:"bannedAt"`  // nil for most
	Keys      int          `json:"keys"`      // live
	Published int          `json:"published"` // reports that count
	Reports   int          `json:"reports"`   // filed, whatever became of them
}

// Agents returns up to limit agents, newest first; only those that are banned if
// so asked.
func (db *DB) Agents(ctx context.Context, banned bool, limit int) ([]AgentInfo, error) {
	where := ""
	if banned {
		where = "WHERE a.banned IS NOT NULL "
	}
	return db.agents(ctx, where+"ORDER BY a.id DESC LIMIT $1", limit)
}

// FindAgent returns the agent with a public id or of a wallet. The error is
// NotFound if there is none.
func (db *DB) FindAgent(ctx context.Context, name string) (AgentInfo, error) {
	column, value := "public", name
	if !strings.HasPrefix(name, "agt_") {
		wallet, fault := tocsin.ParseAddress(name)
		if fault != nil {
			return AgentInfo{}, notFound("there is no agent %.50q: name it by its id (agt_…) or its wallet (0x…)", name)
		}
		column, value = "address", wallet.Subject().Value
	}
	found, err := db.agents(ctx, "WHERE a."+column+" = $1", value)
	if err == nil && len(found) == 0 {
		err = notFound("there is no agent %.50q", name)
	}
	if err != nil {
		return AgentInfo{}, err
	}
	return found[0], nil
}

func (db *DB) agents(ctx context.Context, which string, args ...any) (found []AgentInfo, err error) {
	err = db.read(ctx, primary, func(s *conn) error {
		return s.each(ctx, `SELECT a.public, a.address, a.name, a.created, a.banned,
				(SELECT count(*) FROM key k WHERE k.agent = a.id AND k.revoked IS NULL),
				(SELECT count(*) FROM report r WHERE r.agent = a.id AND r.status = 'published'),
				(SELECT count(*) FROM report r WHERE r.agent = a.id)
			FROM agent a `+which, args, func(rows *sql.Rows) error {
			var a AgentInfo
			var created int64
			var banned sql.NullInt64
			err := rows.Scan(&a.ID, &a.Address, &a.Name, &created, &banned, &a.Keys, &a.Published, &a.Reports)
			a.Address, a.Created = checksummed(a.Address), tocsin.MicroTime(created)
			if banned.Valid {
				at := tocsin.MicroTime(banned.Int64)
				a.Banned = &at
			}
			found = append(found, a)
			return err
		})
	})
	return found, err
}

// Ban refuses an agent from now on: its keys, its wallet and what it files. Its
// published reports stop counting, and its sessions end. It returns how many
// reports it has changed. A ban that was interrupted is completed when it is
// repeated.
func (db *DB) Ban(ctx context.Context, by Operator, agent string) (reports int, err error) {
	a := &act{by: by, action: BannedAgent}
	err = db.mark(ctx, a, agent, true)
	db.callers.invalidate()
	if err != nil {
		return 0, err
	}
	return db.changeAll(ctx, a, agent, tocsin.Published, tocsin.Banned, ReportBanned)
}

// Unban takes a ban back: the reports that it took out count again, and keys and
// wallet are accepted. What was hidden or withdrawn otherwise stays so. It returns
// how many reports it has changed.
func (db *DB) Unban(ctx context.Context, by Operator, agent string) (reports int, err error) {
	a := &act{by: by, action: UnbannedAgent}
	if reports, err = db.changeAll(ctx, a, agent, tocsin.Banned, tocsin.Published, ReportReinstated); err != nil {
		return reports, err
	}
	err = db.mark(ctx, a, agent, false)
	db.callers.invalidate()
	return reports, err
}

// mark says on the agent's row whether it is banned.
func (db *DB) mark(ctx context.Context, a *act, agent string, banned bool) error {
	return db.carry(ctx, a, func(ctx context.Context, s *conn, now tocsin.Time) ([]string, error) {
		since := any(now.Micro())
		if !banned {
			since = nil
		}
		n, err := affected(s.exec(ctx, "UPDATE agent SET banned = $1 WHERE public = $2 AND (banned IS NOT NULL) <> $3",
			since, agent, banned))
		if err != nil || n == 0 {
			return nil, err
		}
		var id int64
		if err := s.row(ctx, "SELECT id FROM agent WHERE public = $1", []any{agent}, &id); err != nil {
			return nil, err
		}
		if banned {
			_, err = s.exec(ctx, "DELETE FROM session WHERE agent = $1", id)
		} else {
			err = prove(ctx, s, id, now) // an import during the ban has found that it confirms none of its reports
		}
		return []string{agent}, err
	})
}

// changeAll changes the status of all reports of an agent that have the status from.
func (db *DB) changeAll(
	ctx context.Context, a *act, agent string, from, to tocsin.Status, op Op,
) (changed int, err error) {
	for {
		var ids []string
		err := db.carry(ctx, a, func(ctx context.Context, s *conn, now tocsin.Time) ([]string, error) {
			ids = nil
			err := s.each(ctx, `SELECT r.id FROM report r JOIN agent a ON a.id = r.agent
				WHERE a.public = $1 AND r.status = $2 ORDER BY r.seq LIMIT $3`,
				[]any{agent, string(from), moderationChunk}, func(rows *sql.Rows) error {
					var id string
					err := rows.Scan(&id)
					ids = append(ids, id)
					return err
				})
			if err != nil || len(ids) == 0 {
				return nil, err
			}
			for _, id := range ids {
				t, err := findTarget(ctx, s, id)
				if err != nil {
					return nil, err
				}
				if err := changeStatus(ctx, s, &t.row, from, to, op, now); err != nil {
					return nil, err
				}
			}
			return append([]string{agent}, ids...), nil
		})
		if err != nil || len(ids) == 0 {
			return changed, err
		}
		changed += len(ids)
	}
}

// RefuseWallet returns the error [tocsin.AgentBanned] if the agent of a wallet is
// banned.
func (db *DB) RefuseWallet(ctx context.Context, wallet tocsin.Address) error {
	return db.readStatement(ctx, func(s *conn) error { return refuseBannedWallet(ctx, s, wallet) })
}

// refuseBannedWallet is the error of the agent of a wallet, if there is one and it is banned.
func refuseBannedWallet(ctx context.Context, s *conn, wallet tocsin.Address) error {
	var agent string
	err := s.row(ctx, "SELECT public FROM agent WHERE banned IS NOT NULL AND address = $1",
		[]any{wallet.Subject().Value}, &agent)
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return bannedError(agent)
}

func bannedError(agent string) error {
	return &tocsin.Error{
		Code: tocsin.AgentBanned,
		Detail: fmt.Sprintf("The operator of this service has banned the agent %s: "+
			"its keys and its wallet are refused, and its reports do not count", agent),
	}
}
