package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/pgtest"
)

// TestAnImportThatIsAloneCommitsMoreAtOnce: as long as nobody else writes, nobody has to wait for it.
func TestAnImportThatIsAloneCommitsMoreAtOnce(t *testing.T) {
	onlySQLite(t)
	s := fresh(t)
	other := open(t, s.path, s.ahead)
	im, err := s.Import(t.Context(), tocsin.List{Name: "list", Family: "list"})
	do(t, err)
	for n := range 20 * chunk {
		do(t, im.Add(listing(tocsin.Subject{Kind: tocsin.DNS, Value: fmt.Sprintf("n%d.example", n)}, nil)))
	}
	var steps []int
	last := 0
	_, err = im.Finish(t.Context(), false, func(done, _ int) {
		steps, last = append(steps, (done-last)/chunk), done
		if len(steps) == 4 {
			do(t, other.write(t.Context(), accounts, false, func(ctx context.Context, s *conn) error {
				return setMeta(ctx, s, "turn", []byte("taken"))
			}))
		}
	})
	do(t, err)
	equal(t, "chunks in each commit", steps, []int{1, 1, 2, 4, 1, 1, 2, 4, 4})
}

// TestWhatIsOnItsWayInIsBounded however long the stories are: else an import would hold twenty thousand of them.
func TestWhatIsOnItsWayInIsBounded(t *testing.T) {
	s := fresh(t)
	im, err := s.Import(t.Context(), tocsin.List{Name: "list", Family: "list"})
	do(t, err)
	for n := range 500 {
		d := story(t, fmt.Sprint(n), evil.Value)
		d.Description = strings.Repeat("x", 20_000)
		do(t, im.Add(told(d, fmt.Sprint(n))))
	}
	reports := 0
	for p := range partsOf(im, gone{}) {
		bytes := 0
		for _, r := range p.reports {
			bytes += len(r.body)
		}
		if bytes > chunkBytes || p.err != nil {
			t.Errorf("a part has %d bytes of stories, %v", bytes, p.err)
		}
		reports += len(p.reports)
	}
	equal(t, "reports", reports, 500)
	_, err = im.Finish(t.Context(), false, nil)
	do(t, err)
	equal(t, "on record", count(t, s.DB, "report"), 500)
	again, err := s.Import(t.Context(), tocsin.List{Name: "list", Family: "list"})
	do(t, err)
	var all gone
	for _, st := range again.reports {
		all.reports = append(all.reports, st)
	}
	for p := range partsOf(again, all) {
		if n := len(p.removed); n > chunkBytes/20_000 || p.err != nil {
			t.Errorf("a part removes %d stories of 20 KB, %v", n, p.err)
		}
		reports -= len(p.removed)
	}
	equal(t, "reports left", reports, 0)
}

// partsOf returns the parts of an import, in their order.
func partsOf(im *Importing, gone gone) chan *part {
	parts := make(chan *part)
	go func() {
		im.makeParts(gone, parts, make(chan struct{}))
		close(parts)
	}()
	return parts
}

// TestWhatIsRemovedCountsInATransaction: it takes longer than what is added, and others who write wait for it.
func TestWhatIsRemovedCountsInATransaction(t *testing.T) {
	s := fresh(t)
	entries := func(n int, title string) (all []tocsin.Entry) {
		for i := range n {
			name := fmt.Sprintf("n%d.example", i)
			all = append(all, told(story(t, title, name), name), listing(tocsin.Subject{Kind: tocsin.DNS, Value: name}, nil))
		}
		return all
	}
	s.imports(t, "list", entries(1200, "first")...)
	im, err := s.Import(t.Context(), tocsin.List{Name: "list", Family: "list"})
	do(t, err)
	defer im.Close()
	for _, e := range entries(600, "second") {
		do(t, im.Add(e))
	}
	var all gone
	for key, st := range im.listings {
		if !st.seen {
			all.listings = append(all.listings, key)
		}
	}
	for _, st := range im.reports {
		if !st.seen {
			all.reports = append(all.reports, st)
		}
	}
	var got [4]int
	for p := range partsOf(im, all) {
		n := [4]int{len(p.reports), len(p.replaced), len(p.withdrawn), len(p.removed)}
		if work := n[0] + n[2] + removal*(n[1]+n[3]); work > chunk || p.err != nil {
			t.Errorf("a part counts as %d rows: %v, %v", work, n, p.err)
		}
		for i := range n {
			got[i] += n[i]
		}
	}
	equal(t, "replaced, their places, withdrawn, removed", got, [4]int{600, 600, 600, 600})
	_, err = im.Finish(t.Context(), false, nil)
	do(t, err)
	equal(t, "on record", count(t, s.DB, "report", "status = 'published'"), 600)
}

// TestAnImportWhoseFileCannotBeWrittenChangesNothing: the disk is full.
func TestAnImportWhoseFileCannotBeWrittenChangesNothing(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("there is no /dev/full")
	}
	s := fresh(t)
	im, err := s.Import(t.Context(), tocsin.List{Name: "list", Family: "list"})
	do(t, err)
	im.spool.file, im.spool.dir = full, t.TempDir()
	d := story(t, "long", evil.Value)
	d.Description = strings.Repeat("x", spooled/4)
	err = nil
	for n := 0; err == nil && n < 10; n++ {
		err = im.Add(told(d, fmt.Sprint(n)))
	}
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "keep the stories of the list") {
		t.Errorf("the import goes on: %v", err)
	}
	if _, finish := im.Finish(t.Context(), true, nil); finish != err {
		t.Errorf("what is left of the list is written: %v", finish)
	}
	im.Close()
	equal(t, "lists, reports", []int{count(t, s.DB, "list"), count(t, s.DB, "report")}, []int{0, 0})
}

// TestTheFileOfAnImportIsBesideTheDatabase itself, where there is room, rather than beside a link to it.
func TestTheFileOfAnImportIsBesideTheDatabase(t *testing.T) {
	data, err := filepath.EvalSymlinks(t.TempDir())
	do(t, err)
	file, link := filepath.Join(data, "tocsin.db"), filepath.Join(t.TempDir(), "link.db")
	do(t, os.WriteFile(file, nil, 0o600))
	do(t, os.Symlink(file, link))
	equal(t, "folders", []string{spoolBeside(file).dir, spoolBeside(link).dir}, []string{data, data})
}

// TestAnImportTakesFewStatements: each is a round trip once the database is on another machine. Before, a report took
// about twenty.
func TestAnImportTakesFewStatements(t *testing.T) {
	s := fresh(t)
	var entries []tocsin.Entry
	const reports = 2000
	for n := range reports {
		name := fmt.Sprintf("n%d.example", n)
		entries = append(entries, told(story(t, "It is a fraud", name), name),
			listing(tocsin.Subject{Kind: tocsin.DNS, Value: name}, nil))
	}
	statements := 0
	watch := func(ran func(string) error) {
		do(t, s.write(t.Context(), evidence, false, func(_ context.Context, c *conn) error {
			c.ran = ran
			return nil
		}))
	}
	watch(func(query string) error {
		if pgtest.On() || !strings.Contains(query, "INTO report_words") { // FTS5 takes rows one by one
			statements++
		}
		return nil
	})
	equal(t, "counts", s.imports(t, "list", entries...), Counts{Added: 2 * reports, Reports: reports})
	watch(nil)
	if statements == 0 || statements > reports/4 {
		t.Errorf("%d statements for %d reports", statements, reports)
	}
	equal(t, "events", s.events(t), fmt.Sprintf("filed %d, listed %d", reports, reports))
	equal(t, "found", count(t, s.DB, "report_subject"), reports)
}

// TestStoriesAreRecordedInTheOrderOfTheirDates: whoever follows what is recorded gets them in that order, and
// neighbours in the indexes by date are written together.
func TestStoriesAreRecordedInTheOrderOfTheirDates(t *testing.T) {
	s := fresh(t)
	var entries []tocsin.Entry
	for n, hours := range []int{5, 0, 9, 1, 7} { // 0: no date
		d := story(t, fmt.Sprint(hours), evil.Value)
		if hours > 0 {
			d.SourceDate = tocsin.TimeOf(noon.Add(time.Duration(hours-100) * time.Hour))
		}
		entries = append(entries, told(d, fmt.Sprint(n)))
	}
	s.imports(t, "list", entries...)
	page, err := s.Reports(t.Context(), Filter{Since: new(tocsin.MicroTime(0)), Page: Page{Limit: 10}})
	do(t, err)
	var titles []string
	for _, r := range page.Reports {
		titles = append(titles, r.Title)
	}
	equal(t, "titles", titles, []string{"0", "1", "5", "7", "9"})
}

// TestAListLargerThanTheMemoryForItIsReadWhole: what does not fit is in a file that nobody else can open.
func TestAListLargerThanTheMemoryForItIsReadWhole(t *testing.T) {
	dir := t.TempDir()
	sp := spool{dir: dir}
	var places []int64
	text := func(n int) []byte { return bytes.Repeat([]byte{byte(n)}, spooled/5+n) }
	for n := range 17 {
		at, err := sp.add(text(n))
		do(t, err)
		places = append(places, at)
	}
	if len(sp.memory) > spooled || sp.file == nil {
		t.Errorf("%d bytes in memory", len(sp.memory))
	}
	for n := range places {
		n = (n * 7) % len(places)
		got, err := sp.read(places[n], len(text(n)))
		equal(t, "text", []any{bytes.Equal(got, text(n)), err}, []any{true, nil})
	}
	sp.close()
	left, err := os.ReadDir(dir)
	equal(t, "left", []any{len(left), err}, []any{0, nil})
}
