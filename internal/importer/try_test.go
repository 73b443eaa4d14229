package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/feed"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// desk is where lists are imported: a directory with a database file, and servers of lists.
type desk struct {
	*testing.T
	*tocsintest.Upstream
	dir   string
	clock tocsintest.Clock
	host  string // of the servers
}

func newDesk(t *testing.T, files map[string]string) *desk {
	t.Helper()
	t.Parallel()
	d := &desk{T: t, Upstream: tocsintest.NewUpstream(files), dir: t.TempDir()}
	server := httptest.NewServer(d.Upstream)
	t.Cleanup(server.Close)
	d.host = server.Listener.Addr().String()
	return d
}

// RoundTrip implements [http.RoundTripper]: it leads every name to the servers.
func (d *desk) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = "http", d.host
	return http.DefaultTransport.RoundTrip(r)
}

// at does something with the database, as a command does: it opens and closes it.
func (d *desk) at(do func(db *store.DB)) {
	d.Helper()
	db, err := store.Open(d.Context(), filepath.Join(d.dir, "tocsin.db"), store.Options{Now: d.clock.Now})
	tocsintest.Must(d, err)
	defer func() { tocsintest.Must(d, db.Close()) }()
	do(db)
}

// try tries to import a list a second later.
func (d *desk) try(list string, t Try) (r Result, err error) {
	d.Helper()
	d.clock.Sleep(time.Second)
	d.at(func(db *store.DB) {
		t.DB, t.Through, t.Now, t.Random = db, d, d.clock.Now, rand.New(rand.NewPCG(1, 2))
		t.Source, _ = feed.Find(list)
		t.Held = func() error { return store.ErrImporting }
		t.Step = func(string) func(done, total int64) { return func(int64, int64) {} }
		r, err = t.Run(d.Context())
	})
	return r, err
}

// must imports a list from a file, or from a directory.
func (d *desk) must(list, from string) {
	d.Helper()
	_, err := d.try(list, Try{From: from, Force: true})
	tocsintest.Must(d, err)
}

// write makes a file of lines, and returns its path.
func (d *desk) write(name string, lines ...string) string {
	d.Helper()
	path := filepath.Join(d.dir, name)
	tocsintest.Must(d, os.MkdirAll(filepath.Dir(path), 0o700))
	tocsintest.Must(d, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	return path
}

// listings says how many listings subjects have.
func (d *desk) listings(db *store.DB, subjects ...string) (listings []int) {
	d.Helper()
	for _, text := range subjects {
		subject, fault := tocsin.ParseSubject(text)
		if fault != nil {
			d.Fatal(fault)
		}
		about, err := db.AboutSubject(d.Context(), subject, store.Page{})
		tocsintest.Must(d, err)
		listings = append(listings, len(about.Listings))
	}
	return listings
}

// sites is a list of so many websites.
func sites(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "https://site%d-tocsin.com/\n", i)
	}
	return b.String()
}

// TestAListThatHasNotChangedIsNotReadAgain, unless what is on record comes from elsewhere, or another program read it.
func TestAListThatHasNotChangedIsNotReadAgain(t *testing.T) {
	d := newDesk(t, map[string]string{"detected_urls.txt": sites(3)})
	program := "one"
	try := func(about string, every time.Duration, want Result, asked string) {
		t.Helper()
		r, err := d.try("spmedia", Try{Every: every, Program: program})
		tocsintest.Must(t, err)
		tocsintest.Want(t, about, []any{r.Finished, r.Unchanged, r.Counts, d.Requests()},
			[]any{want.Finished, want.Unchanged, want.Counts, asked})
		tocsintest.Want(t, about+": it is due", r.NotBefore == nil, asked != "")
	}
	read := func(added, unchanged, withdrawn int) Result {
		return Result{Finished: true, Counts: store.Counts{Added: added, Unchanged: unchanged, Withdrawn: withdrawn}}
	}
	same := Result{Unchanged: true}
	try("the first import", 6*time.Hour, read(3, 0, 0), "detected_urls.txt 200")
	try("not due", 6*time.Hour, Result{}, "")
	d.clock.Sleep(90 * 24 * time.Hour)
	try("it has not changed", 1, same, "detected_urls.txt 304")
	d.at(func(db *store.DB) {
		is, err := db.ListRead(t.Context(), "spmedia")
		tocsintest.Must(t, err)
		tocsintest.Want(t, "it is fresh", []any{is.AsOf(), is.OutOfDate(db.Now())}, []any{db.Now(), false})
	})
	d.Set("detected_urls.txt", sites(5), nil)
	try("it has changed", 1, read(2, 3, 0), "detected_urls.txt 200, detected_urls.txt 200")
	d.must("spmedia", d.write("list.txt", strings.Fields(sites(3))...))
	try("a file was imported", 1, read(2, 3, 0), "detected_urls.txt 200")
	try("it has not changed", 1, same, "detected_urls.txt 304")
	program = "another"
	try("another program", 1, read(0, 5, 0), "detected_urls.txt 200")
	try("by hand it is read in any case", 0, read(0, 5, 0), "detected_urls.txt 200")
}

// TestAListThatCannotBeHadKeepsWhatItSaid, whatever its server does. Why it failed is on record.
func TestAListThatCannotBeHadKeepsWhatItSaid(t *testing.T) {
	d := newDesk(t, map[string]string{"detected_urls.txt": sites(4)})
	first, err := d.try("spmedia", Try{Every: 1})
	tocsintest.Must(t, err)
	tocsintest.Want(t, "sites", first.Counts.Added, 4)
	huge := strings.Repeat("x", 1<<20)
	type how = func(w http.ResponseWriter, r *http.Request) bool
	for i, c := range []struct {
		says, reason string
		how          how
		text         string
	}{
		{"503 Service Unavailable", store.FailedDownload, func(w http.ResponseWriter, r *http.Request) bool {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}, ""},
		{"shrunk from 4 entries to 1", store.FailedShrunk, nil, sites(1)},
		{"web page", store.FailedRead, nil, "<html>Sign in</html>"},
		{"another scheme", store.FailedDownload, func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, "http://169.254.169.254/detected_urls.txt", http.StatusFound)
			return true
		}, ""},
		{"redirections", store.FailedDownload, func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
			return true
		}, ""},
		{"larger than 64 MiB", store.FailedDownload, func(w http.ResponseWriter, r *http.Request) bool {
			for range 70 {
				io.WriteString(w, huge)
			}
			return true
		}, ""},
		{"unexpected EOF", store.FailedDownload, func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, sites(1))
			return true
		}, ""},
		{"304 Not Modified", store.FailedDownload, func(w http.ResponseWriter, r *http.Request) bool {
			w.WriteHeader(http.StatusNotModified) // nobody has asked that
			return true
		}, ""},
	} {
		failures := i + 1
		if c.says == "304 Not Modified" {
			d.must("spmedia", d.write("list.txt", strings.Fields(sites(4))...)) // no validators
			failures = 1
		}
		d.Set("detected_urls.txt", c.text, c.how)
		r, err := d.try("spmedia", Try{Every: 1})
		if err == nil || !strings.Contains(err.Error(), c.says) || r.Finished {
			t.Errorf("%s: %v", c.says, err)
		}
		d.at(func(db *store.DB) {
			tocsintest.Want(t, c.says+": a site of the list", d.listings(db, "site1-tocsin.com"), []int{1})
			is, err := db.ImportTry(t.Context(), "spmedia")
			tocsintest.Must(t, err)
			tocsintest.Want(t, c.says+": on record", []any{is.Reason, is.Failures, int(is.Failed), is.Running},
				[]any{c.reason, failures, i + 1, false})
		})
	}
	d.Set("detected_urls.txt", sites(4), nil)
	_, err = d.try("spmedia", Try{Every: 1})
	tocsintest.Must(t, err)
}

// TestAnImportThatIsInterruptedIsNoFaultOfItsFile: it says so, and is no failure of the list.
func TestAnImportThatIsInterruptedIsNoFaultOfItsFile(t *testing.T) {
	d := newDesk(t, nil)
	from := d.write("list.txt", strings.Fields(sites(4))...)
	ctx, interrupt := context.WithCancel(t.Context())
	d.at(func(db *store.DB) {
		try := Try{DB: db, From: from, Now: d.clock.Now, Random: rand.New(rand.NewPCG(1, 2)),
			Step: func(string) func(done, total int64) { interrupt(); return func(int64, int64) {} }}
		try.Source, _ = feed.Find("spmedia")
		_, err := try.Run(ctx)
		tocsintest.Want(t, "its error", err.Error(), ErrInterrupted.Error())
		is, err := db.ImportTry(t.Context(), "spmedia")
		tocsintest.Want(t, "on record", []any{is.Tries, err}, []any{int64(0), nil})
	})
}

func TestRefusedRowsAreCountedAndThreeOfEachAreShown(t *testing.T) {
	var r Refusals
	for n := range 5 {
		r.add(fmt.Sprint("row ", n), "seldom", "bad\x1b[31m\nline")
		r.add(fmt.Sprint("row ", n), "often", "worse")
	}
	r.add("row 9", "often", strings.Repeat("x", 300))
	tocsintest.Want(t, "the most frequent first", r.Reasons(), []string{"often", "seldom"})
	tocsintest.Want(t, "counts", []int{r.Counts["often"], r.Counts["seldom"], r.Total}, []int{6, 5, 11})
	tocsintest.Want(t, "examples", append(r.Examples["often"], r.Examples["seldom"]...), []string{"row 0: worse",
		"row 1: worse", "row 2: worse", "row 0: bad[31m line", "row 1: bad[31m line", "row 2: bad[31m line"})
	more := Refusals{each: 4}
	for range 5 {
		more.add("row", "often", strings.Repeat("x", 500))
	}
	tocsintest.Want(t, "four, each a line", []int{len(more.Examples["often"]), len([]rune(more.Examples["often"][0]))},
		[]int{4, 400})
}

// TestALeaseIsWaitedFor, after it was said once, unless whoever is told does not want to.
func TestALeaseIsWaitedFor(t *testing.T) {
	t.Parallel()
	var clock tocsintest.Clock
	db := tocsintest.Open(t, &clock)
	first, err := db.LeaseImport(t.Context(), "spmedia")
	tocsintest.Must(t, err)
	_, err = Lease(t.Context(), db, "spmedia", func() error { return store.ErrImporting })
	tocsintest.Want(t, "not to wait", errors.Is(err, store.ErrImporting), true)
	said := 0
	lease, err := Lease(t.Context(), db, "spmedia", func() error {
		said++
		return first.Release(t.Context())
	})
	tocsintest.Must(t, err)
	tocsintest.Want(t, "it was said", said, 1)
	tocsintest.Must(t, lease.Release(t.Context()))
}

// TestAWrongFileIsNoFailureOfTheList: who has named it is told, and the list fares as before.
func TestAWrongFileIsNoFailureOfTheList(t *testing.T) {
	d := newDesk(t, nil)
	lastOf := func(list string) (try store.ImportTry) {
		d.at(func(db *store.DB) {
			is, err := db.ImportTry(t.Context(), list)
			tocsintest.Must(t, err)
			try = is
		})
		return try
	}
	last := func() store.ImportTry { return lastOf("spmedia") }
	for _, about := range []string{"never tried", "imported"} {
		before := last()
		if _, err := d.try("spmedia", Try{From: filepath.Join(d.dir, "gone.txt")}); err == nil {
			t.Error("a file that is not there is imported")
		}
		tocsintest.Want(t, about, last(), before)
		_, err := d.try("spmedia", Try{From: t.TempDir()})
		tocsintest.Want(t, about+", a folder without the list", []any{err != nil, last()}, []any{true, before})
		d.must("spmedia", d.write("list.txt", strings.Fields(sites(3))...))
	}
	tocsintest.Want(t, "a copy", []any{last().At != tocsin.Time{}, last().Upstream}, []any{true, false})

	sdn := func(date string) string {
		return d.write("sanctioned-addresses.json", `{"metadata": {"sdnListDate": "`+date+`"}, "addresses": {`+
			`"0x0000000000000000000000000000000000000001": {"type": "Digital Currency Address - ETH", "entries": []}}}`)
	}
	d.must("ofac", sdn("02/20/2026"))
	before := lastOf("ofac")
	for date, why := range map[string]error{"02/19/2026": store.ErrOlder, "": store.ErrUndated} {
		_, err := d.try("ofac", Try{From: sdn(date)})
		tocsintest.Want(t, "dated "+date, []any{errors.Is(err, why), lastOf("ofac")}, []any{true, before})
	}
}
