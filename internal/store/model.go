package store

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"tocsin"
	"tocsin/internal/health"
	"tocsin/internal/readmodel"
)

// model is what is on record about all subjects, in memory (docs/decisions/0031-the-read-model.md). It follows the log
// of events: of a subject that has changed, the database is asked until its record was read again.
type model struct {
	bound  int // bytes that it takes at most; 0: there is none
	shared int // bytes of it and of the dossiers together

	current atomic.Pointer[readmodel.Model] // nil while it is loaded: the database is asked
	unknown atomic.Pointer[keptDossier]     // of all that is not on record; nothing is kept with it

	dropped atomic.Bool           // it was too large
	failure atomic.Pointer[error] // why the last load failed; nil if it did not

	mu      sync.Mutex
	changed map[tocsin.Subject]int64 // those to be read again, with the number of their last change
	changes int64                    // so far
	again   bool                     // too much has changed: all is to be read again
	wake    chan struct{}
	begin   chan struct{} // closed by LoadModel
	begun   sync.Once
}

func (m *model) init(memory Memory) {
	m.bound, m.shared = memory.Model, memory.Evidence
	m.wake, m.begin = make(chan struct{}, 1), make(chan struct{})
}

// LoadModel begins to load the read model, if the memory has a share for it. Until it is loaded the database is asked.
// A server calls it when it has begun to answer, because the load takes all the processors there are.
func (db *DB) LoadModel() { db.model.begun.Do(func() { close(db.model.begin) }) }

// ModelLoad says how a load of the read model went.
type ModelLoad struct {
	Subjects int
	Bytes    int
	Took     time.Duration
	TooLarge bool // it was dropped, because it takes more than [Memory.Model]; all screenings ask the database
}

const (
	// maxChanged is how many changed subjects are read again one by one; of more, all are read again.
	maxChanged = 100_000
	// rereadAtOnce is how many of them are read by one statement, and change in the model at once.
	rereadAtOnce = 250
	// rereadDelay is how long the first of them waits for others: to read one costs hardly less than to read many.
	rereadDelay = 50 * time.Millisecond
	// loadAtOnce is how many ids of subjects a part of the first load covers.
	loadAtOnce = 5000
	// loaders is how many parts are loaded at a time.
	loaders = 2
)

var (
	errTooLarge = errors.New("the read model does not fit its memory")
	errAgain    = errors.New("too much has changed while the read model was loaded")
)

// follow takes events into account. When it returns, nothing that they have changed is answered from memory.
func (m *model) follow(n newEvents) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.changed == nil {
		return
	}
	for _, subject := range n.subjects {
		m.changes++
		m.changed[subject] = m.changes
	}
	if n.all || len(m.changed) > maxChanged {
		m.current.Store(nil)
		clear(m.changed)
		m.again = true
	} else if current := m.current.Load(); current != nil {
		current.Doubt(n.subjects)
	}
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// keepModel loads the model and reads again what changes, until the database is closed. It tells loaded, if it is not
// nil, how that went.
func (db *DB) keepModel(ctx context.Context, loaded func(ModelLoad)) {
	if loaded == nil {
		loaded = func(ModelLoad) {}
	}
	select {
	case <-db.model.begin:
	case <-db.closed:
		return
	}
	for {
		begin := db.monotonic()
		m, err := db.loadModel(ctx)
		db.noteLoad(err)
		if err == nil {
			loaded(ModelLoad{Subjects: m.Subjects(), Bytes: m.Bytes(), Took: db.monotonic() - begin})
			err = db.refreshModel(ctx, m)
		}
		if errors.Is(err, errTooLarge) {
			db.model.drop() // or what changes would be collected for nobody
			db.dossiers.setBound(db.model.shared)
			loaded(ModelLoad{Subjects: m.Subjects(), Bytes: m.Bytes(), TooLarge: true})
			return
		}
		wait := time.Second // a database that cannot be read is tried again
		switch {
		case errors.Is(err, errAgain):
			wait = followInterval
		case damaged(err): // which does not heal by itself, and to read it takes all processors
			wait = time.Minute
		}
		select {
		case <-time.After(wait):
		case <-db.closed:
			return
		}
	}
}

// noteLoad keeps why a load of the model failed, and reports a database that it has found damaged.
func (db *DB) noteLoad(err error) {
	switch {
	case err == nil, errors.Is(err, errAgain), errors.Is(err, errTooLarge), errors.Is(err, errClosed):
		db.model.failure.Store(nil)
		return
	case !errors.As(err, new(damagedError)): // or read has reported it
		err = db.reportRead(err)
	}
	db.model.failure.Store(&err)
}

// loadModel reads everything, in parts with snapshots of their own: what changes after the first of them began is in
// the log, and is read again.
func (db *DB) loadModel(ctx context.Context) (*readmodel.Model, error) {
	m := &db.model
	m.mu.Lock()
	m.changed, m.again = map[tocsin.Subject]int64{}, false
	m.mu.Unlock()
	next := readmodel.New()
	var last int64
	err := db.read(ctx, replica, func(s *conn) (err error) {
		if err = s.row(ctx, "SELECT coalesce(max(id), 0) FROM subject", nil, &last); err != nil {
			return err
		}
		var tables readmodel.Change
		if tables.Lists, err = readLists(ctx, s); err == nil {
			tables.Agents, err = readAgents(ctx, s, nil)
		}
		next.Apply(tables)
		return err
	})
	if err != nil {
		return nil, err
	}
	var begun atomic.Int64
	var loading sync.WaitGroup
	errs := make([]error, loaders)
	for i := range errs {
		loading.Go(func() {
			// A connection of its own: the readers have others to answer, and should not keep the pages of all there is.
			s, err := db.dialect.connect(ctx)
			if err == nil {
				defer s.close()
			}
			for err == nil {
				first := begun.Add(loadAtOnce) - loadAtOnce + 1
				if first > last {
					return
				}
				err = db.loadPart(ctx, s, next, first)
			}
			errs[i] = err
			begun.Store(last) // the others need not go on
		})
	}
	loading.Wait()
	if err := errors.Join(errs...); err != nil {
		return next, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.again {
		return next, errAgain
	}
	for subject := range m.changed {
		next.Doubt([]tocsin.Subject{subject})
	}
	m.current.Store(next)
	db.dossiers.setBound(m.shared - next.Bytes())
	return next, nil
}

func (db *DB) loadPart(ctx context.Context, s *conn, next *readmodel.Model, first int64) error {
	if err := db.usable(); err != nil {
		return err
	}
	select {
	case <-db.closed:
		return errClosed
	default:
	}
	var part readmodel.Change
	err := db.dialect.read(ctx, s, func() error {
		const these = "BETWEEN $1 AND $2"
		args := []any{first, first + loadAtOnce - 1}
		found := subjectRecords{}
		if err := found.readNames(ctx, s, "SELECT id, kind, value, 0 FROM subject WHERE id "+these, args); err != nil {
			return err
		}
		if err := found.read(ctx, s, these, args); err != nil {
			return err
		}
		part.Records = found.byName()
		return nil
	})
	if err != nil {
		return err
	}
	next.Apply(part)
	if next.Bytes() > db.model.bound {
		return errTooLarge
	}
	return nil
}

// refreshModel reads again what has changed, until all has to be read again.
func (db *DB) refreshModel(ctx context.Context, current *readmodel.Model) error {
	failed := 0
	for {
		subjects, numbers, again := db.model.next()
		switch {
		case again:
			return errAgain
		case len(subjects) == 0:
			select {
			case <-db.model.wake:
			case <-db.closed:
				return errClosed
			}
			select {
			case <-time.After(rereadDelay):
			case <-db.closed:
				return errClosed
			}
			continue
		}
		change, err := db.reread(ctx, subjects)
		if err != nil { // the database is asked for them meanwhile
			if failed++; failed > 1 && !Reported(err) {
				db.health.Count(health.Events, health.Stale, 1)
			}
			select {
			case <-time.After(followInterval):
			case <-db.closed:
				return errClosed
			}
			continue
		}
		if failed > 1 {
			db.health.Works(health.Events)
		}
		failed = 0
		db.model.apply(current, change, subjects, numbers)
		if current.Bytes() > db.model.bound {
			return errTooLarge
		}
		db.dossiers.setBound(db.model.shared - current.Bytes())
	}
}

// next returns some of the subjects that have changed, all of one kind.
func (m *model) next() (subjects []tocsin.Subject, numbers []int64, again bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for subject, number := range m.changed {
		if len(subjects) == rereadAtOnce {
			break
		}
		if len(subjects) == 0 || subject.Kind == subjects[0].Kind {
			subjects, numbers = append(subjects, subject), append(numbers, number)
		}
	}
	return subjects, numbers, m.again
}

// fromModel returns the dossier of names[0] as the model knows it, with a page of reports from the database; nil if the
// database must be asked for all of it.
func (db *DB) fromModel(ctx context.Context, names []tocsin.Subject, before place, page Page) (*keptDossier, error) {
	current := db.model.current.Load()
	if current == nil {
		return nil, nil
	}
	a, ok := current.About(names)
	if !ok {
		return nil, nil
	}
	if a == nil {
		return db.model.unknown.Load(), nil
	}
	d := newKept(page.Limit, db.listDates())
	a.Lists = d.Lists
	d.Dossier.Dossier = a.Dossier
	places := a.Places
	from := 0
	for last := (readmodel.Place{Published: before.published, Report: before.seq}); from < len(places) &&
		!last.Before(places[from]); from++ {
	}
	places = places[from:min(len(places), from+page.Limit+1)]
	if page.Limit == 0 || len(places) == 0 {
		return d, nil
	}
	seqs := make([]int64, len(places))
	for i, p := range places {
		seqs[i] = p.Report
	}
	in, args := placeholders(seqs)
	err := db.readStatement(ctx, func(s *conn) (err error) {
		d.Reports, d.ends, d.NextCursor, err = readReports(ctx, s,
			"r.seq IN ("+in+") AND r.status = 'published' ORDER BY r.published DESC, r.seq DESC", args, page)
		return err
	})
	if err != nil {
		return nil, err
	}
	// A report that was hidden a moment ago is not there; then the model is behind, and is not asked.
	n := len(d.Reports)
	if n == 0 || d.NextCursor == "" && n < len(places) ||
		d.ends[n-1].cursor != cursor(place{places[n-1].Published, places[n-1].Report}) {
		return nil, nil
	}
	return d, nil
}

// readStatement runs do, which reads with one statement: a snapshot without a transaction.
func (db *DB) readStatement(ctx context.Context, do func(*conn) error) error {
	if err := db.usable(); err != nil {
		return err
	}
	select {
	case s := <-db.readers:
		defer func() { db.readers <- s }()
		return db.dialect.readStatement(ctx, s, func() error { return do(s) })
	case <-ctx.Done():
		return ctx.Err()
	case <-db.closed:
		return errClosed
	}
}

// apply makes visible what was read, except of subjects that have changed once more.
func (m *model) apply(to *readmodel.Model, c readmodel.Change, subjects []tocsin.Subject, numbers []int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, subject := range subjects {
		if m.changed[subject] == numbers[i] {
			delete(m.changed, subject)
		} else {
			delete(c.Records, subject)
		}
	}
	to.Apply(c)
}

// drop ends the model for good.
func (m *model) drop() {
	m.dropped.Store(true)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.current.Store(nil)
	m.changed = nil
}

func (m *model) state() ModelState {
	switch {
	case m.bound == 0:
		return ModelOff
	case m.dropped.Load():
		return ModelTooLarge
	case m.current.Load() == nil:
		return ModelLoading
	}
	return ModelLoaded
}
