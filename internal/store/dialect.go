package store

import (
	"context"
	"slices"
	"time"

	"tocsin"
	"tocsin/internal/health"
)

// dialect is a database engine: what SQLite (sqlite*.go) and PostgreSQL (postgres*.go) do differently. Every other
// file of the package is plain SQL, which both take. Why they are as they are: decision 32.
type dialect interface {
	// connect opens a connection.
	connect(ctx context.Context) (*conn, error)
	// close closes the database once its connections are closed.
	close() error
	// migrate brings the schema to this program's version, or refuses a database that a newer program has written or
	// that is another program's.
	migrate(ctx context.Context, s *conn) error
	// opened is called once when the database is open, before it is used, with the connection for maintain.
	opened(ctx context.Context, s *conn) error

	// read runs do in a snapshot.
	read(ctx context.Context, s *conn, do func() error) error
	// readStatement runs do, which reads with one statement: a snapshot without a transaction. It may be run twice.
	readStatement(ctx context.Context, s *conn, do func() error) error
	// write runs do in a transaction of a lane; with durable it is on disk (fsync) when write returns, otherwise with
	// the operating system or the server.
	write(ctx context.Context, s *conn, l lane, durable bool, do func() error) error
	// lanes is how many writers there are: one for both lanes, or one for each.
	lanes() int
	// insert inserts a row and returns its number, which is in the column, or 0 if ON CONFLICT DO NOTHING has kept it out.
	insert(ctx context.Context, s *conn, column, query string, args []any) (id int64, err error)
	// rows is what follows VALUES in a statement with so many rows of parameters.
	rows(rows, columns int) string
	// contended reports whether another process has written since it was asked last, or may wait for its turn. It is asked
	// within a transaction.
	contended(ctx context.Context, s *conn) (bool, error)
	// holdReadOnly keeps the database from becoming read-only until the transaction ends; with change it waits until no
	// other transaction does that, because it is about to change.
	holdReadOnly(ctx context.Context, s *conn, change bool) error
	// charge charges free calls together as far as the engine gains by it, and returns what is left to charge one by one.
	charge(ctx context.Context, s *conn, b *quotaBatch, keys []quotaKey) (left []quotaKey, err error)
	// giveBack takes calls back that were charged and not used.
	giveBack(ctx context.Context, s *conn, calls map[agentDay]int) error
	// flush begins to put all that is committed by now on disk.
	flush() *flush
	// maintain does the housekeeping until closed, and closes the connection.
	maintain(ctx context.Context, s *conn, closed <-chan struct{})

	// othersWrote reports whether others may have changed keys or agents since it was asked last.
	othersWrote(ctx context.Context, s *conn) bool
	// now returns the clock that all processes on the database share, in microseconds; known is false where that is the
	// clock of the machine.
	now() (micros int64, known bool)

	// matches returns the reports recorded last, within the bounds, that have all the terms, SearchWindow of them at
	// most, the last one first; outside the story (the description) if so asked, and then without their dates. Unless
	// crime is "" they are those of that type among as many as the window takes.
	matches(ctx context.Context, s *conn, terms []tocsin.Term, crime tocsin.CrimeType, outside bool,
		floor, top int64, window int) ([]place, error)
	// moreMatch reports whether more reports than the window takes have all the terms.
	moreMatch(ctx context.Context, s *conn, terms []tocsin.Term, top int64, window int) (bool, error)
	// mergeWords takes a part of what was deleted out of the index. The first step begins; it reports whether there is
	// more to do.
	mergeWords(ctx context.Context, s *conn, first bool) (more bool, err error)
	// rewrite removes what was deleted from the storage.
	rewrite(ctx context.Context) error
	// shrink gives a part of the space that is not used back to the file system, within a transaction. The first step
	// decides whether it is worth it; it reports whether there is more to do.
	shrink(ctx context.Context, s *conn, first bool) (more bool, err error)
	// copyTo writes a copy of the database into an empty file, without what must not leave this machine. In the copy its
	// last backup is of that time: after a restore there is one, from which it was restored.
	copyTo(ctx context.Context, path string, at tocsin.Time) error

	// checkStorage says what is wrong with what the engine keeps, a sentence each.
	checkStorage(ctx context.Context, s *conn) (faults []string, err error)
	// indexed selects the numbers of the reports that are in the full-text index.
	indexed() string

	// contains is the condition that a text or bytes have others in them.
	contains(in, what string) string

	// check says why the database is not what it was when it was opened, or is out of reach; "" if all is well. Followed
	// is the number of the last event that the memory has taken into account.
	check(ctx context.Context, followed int64) health.Reason
	// moved is a quick check after a commit that must be on disk.
	moved() health.Reason
	// schemaNumber returns which schema the database has: it may have been upgraded by a newer program meanwhile.
	schemaNumber(ctx context.Context, s *conn) (number int64, err error)
	// logBytes is how large the write-ahead log is; 0 if it is on another machine.
	logBytes() int64
	// path is the file whose disk may become full; "" if it is on another machine.
	path() string
}

// wordsOf is a change of the full-text index: the words of a report, or with
// gone that it has none any more.
type wordsOf struct {
	report                                         int64
	gone                                           bool
	title, description, project, subjects, handles string
}

// index changes the full-text index before the transaction of s is committed. That is done for a whole group of writes
// at once: FTS5 writes out what it has gathered whenever other tables are written.
func (s *conn) index(w wordsOf) { s.state.words = append(s.state.words, w) }

// connState is what the dialect knows of a connection.
type connState struct {
	words []wordsOf // to be indexed before the commit

	full         bool  // SQLite's: the next commit is on disk when it returns
	levelKnown   bool  // SQLite's: the connection was set to what full says
	impatient    bool  // SQLite's: the connection waits for no longer than a turn
	otherVersion int64 // what othersWrote found last
	anyVersion   int64 // SQLite's: what contended found last

	failed error // PostgreSQL's: the transaction can only be rolled back
}

// Unavailable reports whether an error is that of a database that another
// process holds or that is out of reach, of a full disk, or a [Outage]: what may
// work again in a moment.
func Unavailable(err error) bool {
	return Reported(err) || slices.Contains([]health.Reason{health.Busy, health.Full, health.Lost}, classOf(err))
}

// Unreadable reports whether an error says that the database cannot be read: it is [Unavailable], damaged or no
// database any more.
func Unreadable(err error) bool { return Unavailable(err) || Damaged(err) }

// Damaged reports whether an error says that the database is damaged or no database any more.
func Damaged(err error) bool { return classOf(err) == health.Corrupt }

// DiskFull reports whether an error says that the disk of the database is full, so that nothing was recorded.
func DiskFull(err error) bool { return classOf(err) == health.Full }

// classOf names the kind of a failure.
func classOf(err error) health.Reason {
	if reason := classOfPostgres(err); reason != "" {
		return reason
	}
	return classOfSQLite(err)
}

// patience is how long a transaction waits for another one.
const patience = 15 * time.Second

// waitedInVain reports whether a transaction has failed because another one held a lock for longer than that.
func waitedInVain(err error) bool {
	state := sqlState(err)
	return state == "55P03" || state == "" && classOf(err) == health.Busy // lock_not_available
}
