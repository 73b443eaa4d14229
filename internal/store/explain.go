package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"tocsin/internal/health"
)

// explained is an error of a database file in words for the operator: what happened, and what to do.
type explained struct {
	error
	text string
}

// Error implements error.
func (e explained) Error() string { return e.text }

// Unwrap returns the error of the engine or of the operating system.
func (e explained) Unwrap() error { return e.error }

// Explain returns an error of a command that uses a database file with what happened and what to do about it, if that
// is known: SQLite and the operating system say neither. Path is what [Open] was given.
func Explain(err error, path string) error {
	if err == nil || path == "" || strings.Contains(path, "://") || errors.As(err, new(explained)) {
		return err
	}
	var failure *sqlite.Error
	var at *fs.PathError
	text := ""
	switch {
	case errors.As(err, &failure):
		switch failure.Code() & 0xff {
		case sqlite3.SQLITE_CORRUPT:
			return withRemedy(err)
		case sqlite3.SQLITE_NOTADB:
			text = path + " is not a database: it was overwritten, or -db names another file. If it was the database, stop " +
				"the server, move it and the files that end with -wal and -shm away, and restore a copy with `tocsin restore`"
		case sqlite3.SQLITE_FULL:
			text = fullText(path)
		case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
			text = deniedText(path, err)
		}
	case errors.Is(err, syscall.ENOSPC):
		text = fullText(path)
	case !errors.As(err, &at):
	case errors.Is(err, fs.ErrNotExist):
		text = missingFolder(at.Path, path)
	case errors.Is(err, fs.ErrPermission), readOnlyDisk(err):
		text = deniedText(at.Path, err)
	case isFolder(at.Path):
		text = at.Path + " is a folder: name the file of the database in it, such as " + filepath.Join(at.Path, "tocsin.db")
	}
	if text == "" {
		return err
	}
	return explained{err, text}
}

// fullText says that a disk is full: that of the database if little of it is free, otherwise that of what is written.
func fullText(path string) string {
	if free, known := freeDisk(path); known && free > lowDisk {
		return "the disk that is written to is full. Make room there"
	}
	full := health.Trouble{Part: health.Writes, Reason: health.Full}
	return "the disk of " + path + " is full. " + full.Remedy()
}

// missingFolder says that the folder of a file is missing, if the file is the database or is being written; otherwise
// it is "".
func missingFolder(file, database string) string {
	folder := filepath.Dir(file)
	_, err := os.Stat(folder)
	if abs, _ := filepath.Abs(database); !errors.Is(err, fs.ErrNotExist) || file != abs && filepath.Ext(file) != ".part" {
		return ""
	}
	return fmt.Sprintf("there is no folder %s: create it, or name another file", folder)
}

// deniedText says which folder or file the user of the process must be able to write, of an error; "" if neither is
// known.
func deniedText(path string, of error) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	folder := filepath.Dir(path)
	if readOnlyDisk(of) || readOnlyDisk(writable(folder)) {
		return fmt.Sprintf("the folder %s is on a file system that is mounted read-only. Linux does that after an error of "+
			"the disk: see `dmesg`, and let it be written again. The packaged units let the server write to /var/lib/tocsin "+
			"alone: another folder needs ReadWritePaths=%[1]s in the unit", folder)
	}
	for _, file := range []string{path, path + "-wal", path + "-shm"} {
		switch owner := ownerOf(file); {
		case owner == "" || writable(file) == nil:
		case owner == userName():
			return fmt.Sprintf("%s cannot be read and written by user %s, who owns it. Say: chmod u+rw %[1]s", file, owner)
		default:
			return fmt.Sprintf("%s cannot be read and written by user %s: its owner is %s. Run the command as that user; or, "+
				"if the server should own the file, say as root: chown --reference=%s/. %s*", file, userName(), owner, folder, path)
		}
	}
	if writable(folder) == nil {
		return ""
	}
	does := fmt.Sprintf("its owner is %s. Run the command as that user, or let that folder be written", ownerOf(folder))
	if ownerOf(folder) == userName() {
		does = "say: chmod u+rwx " + folder
	}
	return fmt.Sprintf("the folder %s cannot be written by user %s, and a database needs files beside its own: %s", folder,
		userName(), does)
}

// isFolder reports whether a path is that of a folder.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// userName names the user of the process.
func userName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return fmt.Sprint(os.Geteuid())
}
