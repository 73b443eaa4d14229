package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sizes returns how many pages the file has, and how many of them are unused.
func (s *shelf) sizes(t *testing.T) (pages, unused int64) {
	t.Helper()
	do(t, s.read(t.Context(), primary, func(c *conn) (err error) {
		if pages, err = pragma(t.Context(), c, "page_count"); err == nil {
			unused, err = pragma(t.Context(), c, "freelist_count")
		}
		return err
	}))
	return pages, unused
}

// holes fills the file with so many megabytes, and deletes the first half of them, which is in the middle of the file.
func (s *shelf) holes(t *testing.T, megabytes int) {
	t.Helper()
	do(t, s.write(t.Context(), accounts, false, func(ctx context.Context, c *conn) error {
		for i := range megabytes * 512 {
			if _, err := c.exec(ctx, "INSERT INTO meta (name, value) VALUES ($1, $2)", fmt.Sprintf("filler %06d", i),
				[]byte(strings.Repeat("x", 2000))); err != nil {
				return err
			}
		}
		_, err := c.exec(ctx, "DELETE FROM meta WHERE name >= 'filler' AND name < $1",
			fmt.Sprintf("filler %06d", megabytes*256))
		return err
	}))
}

// size returns how large a file is, in bytes.
func size(t *testing.T, path string) int64 {
	t.Helper()
	is, err := os.Stat(path)
	do(t, err)
	return is.Size()
}

// TestAFileBecomesSmallerInSteps, beside reports that are filed meanwhile, and is sound.
func TestAFileBecomesSmallerInSteps(t *testing.T) {
	onlySQLite(t)
	s := fresh(t)
	s.holes(t, 12)
	before, unused := s.sizes(t)
	if unused < before/3 {
		t.Fatalf("%d of %d pages are unused", unused, before)
	}
	s.reopens(t, Keep{}) // a command
	s.files(t, story(t, "Filed", "evil.com"), nil)
	if now, _ := s.sizes(t); now < before {
		t.Errorf("a command has made the file smaller: %d pages of %d", now, before)
	}
	more := false
	do(t, s.write(t.Context(), accounts, false, func(ctx context.Context, c *conn) (err error) {
		more, err = s.dialect.shrink(ctx, c, true)
		return err
	}))
	if now, _ := s.sizes(t); now >= before || now < before-shrinkStep-shrinkStep/16 || !more { // and what says which move
		t.Errorf("a step has made %d pages of %d; there is more to do: %t", now, before, more)
	}
	s.reopens(t, Keep{Usage: time.Hour})
	n := 0
	eventually(t, "what is unused is given back", func() bool {
		n++
		s.files(t, story(t, fmt.Sprint("Filed meanwhile ", n), "evil.com"), nil)
		now, unused := s.sizes(t)
		return unused <= now/16 && now < before*2/3
	})
	eventually(t, "the file is smaller", func() bool { return size(t, s.path) < before*4096*2/3 })
	if _, unused := s.sizes(t); unused == 0 {
		t.Error("no room is left")
	}
	checked, err := s.Check(t.Context(), nil)
	do(t, err)
	equal(t, "faults", checked.Faults, []string(nil))
}

// TestAFileOfAnOlderProgramBecomesSmallerInStepsOnceItWasWrittenAnew: by a backup, or because a report was erased.
func TestAFileOfAnOlderProgramBecomesSmallerInStepsOnceItWasWrittenAnew(t *testing.T) {
	onlySQLite(t)
	s := fresh(t)
	mode := func() (mode int64) {
		t.Helper()
		do(t, s.read(t.Context(), primary, func(c *conn) (err error) {
			if _, err := pragma(t.Context(), c, "page_count"); err != nil { // it reads the head of the file
				return err
			}
			mode, err = pragma(t.Context(), c, "auto_vacuum")
			return err
		}))
		return mode
	}
	equal(t, "the mode of a new file", mode(), int64(incremental))
	do(t, s.Close())
	old, err := openCopy(t.Context(), s.path, "auto_vacuum(0)")
	do(t, err)
	_, err = old.conn.ExecContext(t.Context(), "VACUUM")
	do(t, err)
	old.close()
	do(t, old.dialect.close())
	s.reopens(t, Keep{Usage: time.Hour})
	equal(t, "the mode of an old file", mode(), int64(0))
	s.holes(t, 9)
	filed := s.files(t, story(t, "Filed", "evil.com"), nil)
	copied := filepath.Join(t.TempDir(), "copy.db")
	_, err = s.Backup(t.Context(), copied)
	do(t, err)
	equal(t, "the mode of an old file after its backup", mode(), int64(0))
	before, unused := s.sizes(t)
	if unused < before/8 {
		t.Errorf("an old file has become smaller: %d pages, %d unused", before, unused)
	}
	_, _, err = s.Erase(t.Context(), Operator{}, filed.Report.ID)
	do(t, err)
	equal(t, "the mode of an old file that was rewritten", mode(), int64(incremental))
	do(t, s.Close())
	s.path = copied
	s.reopens(t, Keep{Usage: time.Hour})
	equal(t, "the mode of a copy", mode(), int64(incremental))
}
