package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestAnErrorOfADatabaseFileSaysWhatToDo: what SQLite and the operating system say is not enough for that.
func TestAnErrorOfADatabaseFileSaysWhatToDo(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "x.db")
	do(t, os.WriteFile(path, bytes.Repeat([]byte("x"), 8192), 0o600))
	_, overwritten := Open(t.Context(), path, Options{MustExist: true})
	gone := filepath.Join(folder, "gone", "x.db")
	_, missing := Open(t.Context(), gone, Options{})
	small := filepath.Join(folder, "small.db")
	c, err := openSQLite(small, false, 0)
	do(t, err)
	c.pool.SetMaxOpenConns(1)
	defer c.close()
	_, full := c.pool.Exec("PRAGMA max_page_count = 2; CREATE TABLE a (x); INSERT INTO a VALUES (zeroblob(100000))")
	_, isFolder := Open(t.Context(), folder, Options{})
	denied := &fs.PathError{Op: "open", Path: path, Err: syscall.EACCES}
	do(t, os.Chmod(path, 0o400))
	for _, c := range []struct {
		about string
		err   error
		path  string
		says  string
	}{
		{"overwritten", overwritten, path, path + " is not a database: it was overwritten, or -db names another file. If it"},
		{"no folder", missing, gone, "there is no folder " + filepath.Dir(gone) + ": create it, or name another file"},
		{"full", fmt.Errorf("write: %w", errors.Join(full, full)), small, "full. Make room"},
		{"full, by the system", fmt.Errorf("x: %w", syscall.ENOSPC), small, "full. Make room"},
		{"read-only", &fs.PathError{Op: "open", Path: path, Err: syscall.EROFS}, path,
			"is on a file system that is mounted read-only. "},
		{"a folder", isFolder, folder, folder + " is a folder: name the file of the database in it, such as " +
			filepath.Join(folder, "tocsin.db")},
		{"no permission", denied, path, ", who owns it. Say: chmod u+rw " + path},
	} {
		if c.about == "no permission" && os.Geteuid() == 0 {
			continue // who may do everything
		}
		says := explainOpening(c.err, c.path)
		if says == nil || !strings.Contains(says.Error(), c.says) || strings.Count(says.Error(), "full. ") > 1 ||
			!errors.Is(says, c.err) {
			t.Errorf("%s: %v", c.about, says)
		}
		equal(t, "twice", Explain(says, c.path), says)
	}
	empty := filepath.Join(folder, "empty.db")
	do(t, os.WriteFile(empty, nil, 0o600))
	_, err = Open(t.Context(), empty, Options{MustExist: true})
	equal(t, "an empty file", strings.Contains(fmt.Sprint(err), "empty.db is no database: it has 0 bytes"), true)
	do(t, os.WriteFile(empty, []byte("notes\n"), 0o600))
	_, err = Open(t.Context(), empty, Options{}) // which would be overwritten
	equal(t, "another file", strings.Contains(fmt.Sprint(err), "empty.db is no database: it has 6 bytes"), true)
	for _, err := range []error{nil, errors.New("x"), &fs.PathError{Path: "/gone/list.csv", Err: fs.ErrNotExist},
		&fs.PathError{Path: folder, Err: syscall.EISDIR}, &fs.PathError{Path: path, Err: syscall.EACCES}} {
		equal(t, "another", Explain(err, path), err) // of a file that is not known to be the database
	}
	equal(t, "of a server", Explain(full, "postgres://x"), full)
}
