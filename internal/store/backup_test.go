package store

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/pgtest"
)

func TestABackupIsWholeAndHoldsNoSecretsOfThisMachine(t *testing.T) {
	onlySQLite(t)
	s := fresh(t)
	wallet := tocsin.Address{19: 7}
	made, err := s.CreateKey(t.Context(), &wallet, "Watchman", nil)
	do(t, err)
	token, err := s.NewSession(t.Context(), wallet, time.Hour)
	do(t, err)
	_, _, err = s.NewNonce(t.Context(), time.Hour)
	do(t, err)
	f, err := s.FileReport(t.Context(), Filing{Draft: story(t, "Told", "evil.com"), IdempotencyKey: "1"})
	do(t, err)
	tokens, err := s.secret(t.Context(), &s.manageSecret, "tokens")
	do(t, err)
	s.imports(t, "list", listing(worse, nil))
	salts := s.secrets(t)
	if len(salts) < 2 {
		t.Fatalf("the database has %d salts", len(salts))
	}

	path := filepath.Join(t.TempDir(), "copy.db")
	copied, err := s.Backup(t.Context(), path)
	do(t, err)
	equal(t, "what it holds", []any{copied.Reports, copied.Listings, copied.Agents, copied.Keys}, []any{1, 1, 1, 1})
	info, err := os.Stat(path)
	do(t, err)
	equal(t, "its mode and size", []any{info.Mode().Perm(), info.Size()}, []any{os.FileMode(0o600), copied.Bytes})
	raw, err := os.ReadFile(path)
	do(t, err)
	for _, salt := range salts {
		if bytes.Contains(raw, salt) {
			t.Error("a salt is in its bytes")
		}
	}
	if bytes.Contains(raw, tokens) {
		t.Error("the secret of manage tokens is in its bytes")
	}
	if bytes.Contains(raw, tokenHash(token)) {
		t.Error("a session is in its bytes")
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	do(t, err)
	equal(t, "files beside it", left, []string{path})

	restored := open(t, path, s.ahead)
	for table, rows := range map[string]int{"origin": 0, "filing": 0, "session": 0, "nonce": 0, "key": 1, "report": 1} {
		got := -1
		do(t, restored.read(t.Context(), primary, func(c *conn) error {
			return c.row(t.Context(), "SELECT count(*) FROM "+table, nil, &got)
		}))
		equal(t, table, got, rows)
	}
	if c, err := restored.Caller(t.Context(), made.Key); err != nil || c == nil {
		t.Errorf("the key is not taken after a restore: %v", err)
	}
	do(t, restored.Withdraw(t.Context(), f.Report.ID, f.ManageToken))
	found, err := restored.Search(t.Context(), []tocsin.Term{{Text: "told"}}, "", Page{Limit: 10})
	do(t, err)
	equal(t, "found after the withdrawal", len(found.Reports), 0)

	for about, path := range map[string]string{"an existing file": path, "a database": s.path} {
		before, err := os.ReadFile(path)
		do(t, err)
		if _, err := s.Backup(t.Context(), path); err == nil {
			t.Errorf("%s is written over", about)
		}
		after, err := os.ReadFile(path)
		do(t, err)
		equal(t, about, string(after) == string(before), true)
	}
	link := filepath.Join(t.TempDir(), "link")
	do(t, os.Symlink("nowhere", link))
	if _, err := s.Backup(t.Context(), link); err == nil {
		t.Error("a link is written through")
	}
}

// secrets returns the salts.
func (s *shelf) secrets(t *testing.T) (salts [][]byte) {
	t.Helper()
	keys, err := s.saltsOf(t.Context(), day(s.Now()))
	do(t, err)
	return keys[:]
}

// A backup is of one moment while others write: what it has is a beginning of what
// was filed.
func TestABackupBesideFilingsIsOfOneMoment(t *testing.T) {
	onlySQLite(t)
	s := fresh(t)
	ctx, stop := context.WithCancel(t.Context())
	var filing sync.WaitGroup
	var filed atomic.Int64
	for range 2 {
		filing.Go(func() {
			for ctx.Err() == nil {
				title := "Story " + time.Duration(filed.Add(1)).String()
				if _, err := s.FileReport(t.Context(), Filing{Draft: story(t, title, "evil.com"), Network: network}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	eventually(t, "some are filed", func() bool { return filed.Load() > 50 })
	path := filepath.Join(t.TempDir(), "copy.db")
	copied, err := s.Backup(t.Context(), path)
	stop()
	filing.Wait()
	do(t, err)
	if copied.Reports < 40 {
		t.Errorf("it has %d reports", copied.Reports)
	}
	restored := open(t, path, s.ahead)
	equal(t, "reports that count in it", dossier(t, restored, evil).ReportCount, copied.Reports)
}

// FuzzRestore restores backups in which something was overwritten. What is restored can be opened and checked.
func FuzzRestore(f *testing.F) {
	if pgtest.On() {
		f.Skip("a backup is a file")
	}
	path := filepath.Join(f.TempDir(), "t.db")
	db, err := Open(f.Context(), path, Options{})
	if err != nil {
		f.Fatal(err)
	}
	_, err = db.Backup(f.Context(), path+".copy")
	if err := errors.Join(err, db.Close()); err != nil {
		f.Fatal(err)
	}
	sound, err := os.ReadFile(path + ".copy")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint32(0), []byte("SQLite format 3"))
	f.Add(uint32(4096), []byte("\x0d\x00\x00\xff\xff"))
	f.Fuzz(func(t *testing.T, at uint32, with []byte) {
		damaged := bytes.Clone(sound)
		copy(damaged[int(at)%len(damaged):], with)
		from, to := filepath.Join(t.TempDir(), "copy.db"), filepath.Join(t.TempDir(), "new.db")
		do(t, os.WriteFile(from, damaged, 0o600))
		if _, err := Restore(t.Context(), from, to); err != nil {
			return
		}
		db, err := Open(t.Context(), to, Options{MustExist: true})
		if err != nil {
			return
		}
		if _, err := db.Check(t.Context(), nil); err != nil {
			t.Logf("it cannot be checked: %v", err)
		}
		do(t, db.Close())
	})
}
