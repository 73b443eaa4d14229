package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"tocsin"
)

// Counts are the results of an import. Listings and reports are counted together.
type Counts struct {
	Added, Unchanged, Withdrawn int
	Reports                     int // of the added
}

// ErrShrunk is the error of a list that has lost more than half of its entries.
var ErrShrunk = errors.New("the list has shrunk")

// Importing is an import in progress: what a list says now, compared with what is on record of it. Nothing is written
// before Finish.
type Importing struct {
	db       *DB
	list     tocsin.List
	id       int64 // 0: never imported
	first    bool
	dated    bool // the day of the import is the list's own date of an entry
	listings map[listingKey]listingState
	reports  map[reportKey]reportState
	named    []*tocsin.Listing // new, or other than before
	stories  []spooledReport   // likewise
	spool    spool             // their texts
	counts   Counts
	had, has int   // entries on record before, and those that were read
	before   int64 // when the list was imported last; if that was an old copy, the date of that
	partial  bool
	removal  bool                // of the whole list, see [DB.RemoveList]
	version  *tocsin.ListVersion // what was read; nil if that is not known
	known    *tocsin.ListVersion // what is on record; likewise
	byHand   *act                // nil: nobody imports it by hand
	act      *act                // what a change of a few entries is in the log of acts; nil for an import
	about    []string
	withdraw []listingKey
	dropped  []reportState // hidden reports that the list has no longer
	returned []reportState // hidden reports that it had dropped, and has again
	isHeld   []Held
	takenOff []string // see [Importing.TakenOff]

	allowOlder bool
	lease      *ImportLease // nil: it is not looked whether another process imports the list
	validators []byte       // nil: nothing is known of the files
}

// Under sets the lease of the import. After another process has taken the lease over, nothing is written.
func (im *Importing) Under(l *ImportLease) { im.lease = l }

// Validators keeps what the servers of the list say of its files, for [DB.Validators], once the import is complete. An
// import without it forgets what was known.
func (im *Importing) Validators(text []byte) { im.validators = text }

// Held returns the entries that are held at LOW, sorted by subject: those of the list, or, of a safelist, those of
// other lists that it names now.
func (im *Importing) Held() []Held { return im.isHeld }

// Sizes returns how many entries of the list were on record before Finish, and how many it has found in what was read.
func (im *Importing) Sizes() (before, read int) { return im.had, im.has }

// Partial marks the import as a part of the list: nothing is withdrawn then, and the list keeps its age.
func (im *Importing) Partial() { im.partial = true }

// By marks the import as an act of an operator.
func (im *Importing) By(operator Operator) { im.byHand = &act{by: operator, action: ImportedList} }

// Dated gives each new entry the day of this import, even in the first one: the list is made by its importers. The age
// of the first entries of any other list is not known, and the day of an import is no date of its later ones.
func (im *Importing) Dated() { im.first, im.dated = false, true }

// maxKnown is the maximum of listings of a public list that an import holds in memory: those on record, and new ones.
const maxKnown = 800_000

// Change makes the import a change of single entries, and an act of the operator about these subjects: entries that
// were not added stay, except those to withdraw. It returns which of these the list does not have.
func (im *Importing) Change(by Operator, action Action, about, withdraw []tocsin.Subject) (missing []tocsin.Subject) {
	im.partial = true
	im.Dated()
	im.act = &act{by: by, action: action}
	for _, s := range about {
		im.about = append(im.about, s.String())
	}
	for _, subject := range withdraw {
		had := len(im.withdraw)
		for k, st := range im.listings {
			if k.subject == subject && !st.withdrawn {
				im.withdraw = append(im.withdraw, k)
			}
		}
		if len(im.withdraw) == had {
			missing = append(missing, subject)
		}
	}
	return missing
}

// Say adds to the log of acts what a change of single entries makes of them.
func (im *Importing) Say(what ...string) { im.about = append(im.about, what...) }

type listingKey struct {
	subject tocsin.Subject
	chain   string
	kind    tocsin.ListingKind
}

type listingState struct {
	subject   int64
	digest    [8]byte
	withdrawn bool
	seen      bool
}

// reportKey is the key of a report within its list, hashed: the collector has nothing to follow in a map of them.
type reportKey [16]byte

func reportKeyOf(key string) reportKey {
	sum := sha256.Sum256([]byte(key))
	return reportKey(sum[:])
}

type reportState struct {
	seq    int64
	digest [8]byte
	body   int32 // bytes on record
	hidden bool  // by the operator: what the list says now changes nothing
	erased bool  // likewise
	gone   bool  // the list had dropped the hidden one
	seen   bool
}

// spooledReport is a report of a list that is to be written. Its key and its draft in JSON are in the spool.
type spooledReport struct {
	published int64 // the source's own date in microseconds, or what is no date
	where     int64 // in the spool
	key, body int32 // bytes
	replaces  int32 // bytes of the body on record that it replaces; 0 if it is new
}

// Import begins an import of a list. Its caller must close it.
func (db *DB) Import(ctx context.Context, list tocsin.List) (*Importing, error) {
	im := &Importing{db: db, list: list, listings: map[listingKey]listingState{}, reports: map[reportKey]reportState{},
		spool: spoolBeside(db.dialect.path())}
	err := db.read(ctx, primary, func(s *conn) error {
		var imported sql.NullInt64
		err := s.row(ctx, "SELECT id, imported FROM list WHERE name = $1", []any{list.Name}, &im.id, &imported)
		im.first, im.before = !imported.Valid, imported.Int64
		if missing(err) {
			return nil
		}
		if err != nil {
			return err
		}
		if im.known, err = readVersion(ctx, s, list.Name); err != nil {
			return err
		}
		// What an old copy lacked may have been on the list by then.
		if v := im.known; v != nil && tocsin.OutOfDate(tocsin.MicroTime(im.before), tocsin.MicroTime(im.before), v.Date) {
			im.before = v.Date.Micro()
		}
		err = s.each(
			ctx,
			`SELECT s.id, s.kind, s.value, l.chain, l.kind, l.category, l.url, l.name, l.program, l.aliases,
				l.withdrawn IS NOT NULL
			FROM listing l JOIN subject s ON s.id = l.subject WHERE l.list = $1`,
			[]any{im.id},
			func(rows *sql.Rows) error {
				var l tocsin.Listing
				var st listingState
				var aliases string
				if err := rows.Scan(
					&st.subject,
					&l.Subject.Kind,
					&l.Subject.Value,
					&l.Chain,
					&l.Kind,
					&l.Category,
					&l.URL,
					&l.Name,
					&l.Program,
					&aliases,
					&st.withdrawn,
				); err != nil {
					return err
				}
				l.Aliases = aliasesOf(aliases)
				st.digest = listingDigest(&l)
				im.listings[keyOf(&l)] = st
				return nil
			},
		)
		if err != nil {
			return err
		}
		return s.each(
			ctx,
			`SELECT seq, list_key, body, status,
				CASE WHEN status = 'hidden' THEN coalesce((`+lastOfList("report.seq")+`) = 'gone', false) ELSE false END
			FROM report WHERE list = $1 AND list_key IS NOT NULL AND status <> 'gone'`,
			[]any{im.id},
			func(rows *sql.Rows) error {
				var st reportState
				var key string
				var body []byte
				var status tocsin.Status
				if err := rows.Scan(&st.seq, &key, &body, &status, &st.gone); err != nil {
					return err
				}
				st.hidden, st.erased = status == tocsin.Hidden, status == tocsin.Erased
				st.digest, st.body = digestOf(string(body)), int32(len(body))
				im.reports[reportKeyOf(key)] = st
				return nil
			},
		)
	})
	return im, err
}

func keyOf(l *tocsin.Listing) listingKey { return listingKey{l.Subject, l.Chain, l.Kind} }

func listingDigest(l *tocsin.Listing) [8]byte {
	return digestOf(append([]string{l.Category, l.URL, l.Name, l.Program}, l.Aliases...)...)
}

// aliasesOf are the aliases of a listing, of which the database has each on a line.
func aliasesOf(lines string) []string {
	if lines == "" {
		return nil
	}
	return strings.Split(lines, "\n")
}

func digestOf(parts ...string) [8]byte {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return [8]byte(h.Sum(nil))
}

// Close ends the import and frees what it holds on disk. What Finish has not written is forgotten.
func (im *Importing) Close() { im.spool.close() }

// Add takes one row of the list. After an error the import can only be closed.
func (im *Importing) Add(e tocsin.Entry) error {
	if e.Listing != nil {
		if err := im.addListing(e.Listing); err != nil {
			return err
		}
	}
	if e.Report == nil {
		return nil
	}
	body, err := json.Marshal(e.Report)
	if err != nil {
		return err
	}
	key := reportKeyOf(e.Key)
	old, known := im.reports[key]
	if known && old.seen {
		return nil // twice in the list
	}
	same := known && (old.hidden || old.erased || old.digest == digestOf(string(body)))
	old.seen = true
	im.reports[key] = old
	if same {
		im.counts.Unchanged++
		return nil
	}
	where, err := im.spool.add(append([]byte(e.Key), body...))
	if err != nil {
		return err
	}
	im.stories = append(im.stories, spooledReport{published: e.Report.SourceDate.Micro(), where: where,
		key: int32(len(e.Key)), body: int32(len(body)), replaces: old.body})
	im.counts.Added++
	im.counts.Reports++
	return nil
}

func (im *Importing) addListing(l *tocsin.Listing) error {
	key := keyOf(l)
	old, known := im.listings[key]
	if known && old.seen {
		return nil
	}
	if !known && im.list.URL != "" && len(im.listings) >= maxKnown {
		return fmt.Errorf("the list has named more than %d subjects, with those that it names no longer", maxKnown)
	}
	same := known && !old.withdrawn && old.digest == listingDigest(l)
	old.seen = true
	im.listings[key] = old
	if same {
		im.counts.Unchanged++
		return nil
	}
	im.named = append(im.named, l)
	im.counts.Added++
	return nil
}

// Finish writes what has changed, and withdraws what the list no longer has. A
// list that has shrunk by more than half is refused unless force: it is more
// likely broken than right. So is a file of the operator that takes off what was
// added by hand, and a list that is or may be older than the one on record, unless
// AllowOlder was called. After an error it may be called again.
func (im *Importing) Finish(ctx context.Context, force bool, progress func(done, total int)) (Counts, error) {
	if im.spool.failed != nil { // a part of what was read is not known any more
		return Counts{}, im.spool.failed
	}
	if err := im.checkAge(); err != nil {
		return Counts{}, err
	}
	gone := gone{listings: im.withdraw}
	im.dropped, im.returned = nil, nil
	before, now, inForce := 0, 0, -len(im.withdraw) // inForce: listings, once all is written
	for k, st := range im.listings {
		alive := st.subject != 0 && !st.withdrawn
		if alive {
			before++
		}
		switch {
		case st.seen:
			now++
			inForce++
		case alive && !im.partial:
			gone.listings = append(gone.listings, k)
		case alive:
			inForce++
		}
	}
	for _, st := range im.reports {
		if st.hidden || st.erased { // it stays, so that it is known when it comes back
			switch {
			case st.hidden && st.gone && st.seen:
				im.returned = append(im.returned, st)
			case st.hidden && !st.gone && !st.seen && !im.partial:
				im.dropped = append(im.dropped, st)
			}
			continue
		}
		if st.seq != 0 {
			before++
		}
		if st.seen {
			now++
		} else if st.seq != 0 && !im.partial {
			gone.reports = append(gone.reports, st)
		}
	}
	if now*2 < before && !force && !im.partial {
		return Counts{}, fmt.Errorf("%w from %d entries to %d: it looks broken, so nothing was changed; "+
			"import it with -force if it is right", ErrShrunk, before, now)
	}
	if err := im.checkOwn(ctx, gone.listings, before, force); err != nil {
		return Counts{}, err
	}
	im.counts.Withdrawn, im.had, im.has = len(gone.listings)+len(gone.reports), before, now
	if err := im.saveList(ctx, force); err != nil {
		return Counts{}, err
	}
	if err := im.writeAll(ctx, gone, progress); err != nil {
		return Counts{}, err
	}
	if err := im.finishList(ctx, inForce); err != nil {
		return Counts{}, err
	}
	var err error
	im.isHeld, err = im.held(context.WithoutCancel(ctx))
	return im.counts, err
}
