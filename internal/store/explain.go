package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
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

// Explain returns an error of the engine, or of a full disk, with what happened and what to do about it, if that is
// known: SQLite and the operating system say neither. Path is what [Open] was given, which explains its own errors.
func Explain(err error, path string) error {
	if err == nil || path == "" || strings.Contains(path, "://") || errors.As(err, new(explained)) {
		return err
	}
	var failure *sqlite.Error
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
	}
	return explain(err, text)
}

// explainOpening is Explain for the error of opening or creating the file of a database or of a copy. The operating
// system names other files in the same way, so only the one who opens it knows that the error is about this file.
func explainOpening(err error, path string) error {
	text := ""
	if abs, fault := filepath.Abs(path); fault == nil {
		path = abs
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		text = missingFolder(path)
	case errors.Is(err, fs.ErrPermission), readOnlyDisk(err):
		text = deniedText(path, err)
	case errors.Is(err, syscall.EISDIR):
		text = path + " is a folder: name the file of the database in it, such as " + filepath.Join(path, "tocsin.db")
	default:
		return Explain(err, path)
	}
	return explain(err, text)
}

// explain returns an error with a text, or as it is if there is none.
func explain(err error, text string) error {
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

// missingFolder says that the folder of a file is missing; "" if it is there.
func missingFolder(path string) string {
	folder := filepath.Dir(path)
	if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
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
	files := slices.DeleteFunc([]string{path, path + "-wal", path + "-shm"}, func(file string) bool {
		return ownerOf(file) == ""
	})
	for _, file := range files {
		switch owner := ownerOf(file); {
		case writable(file) == nil:
		case owner == userName():
			return fmt.Sprintf("%s cannot be read and written by user %s, who owns it. Say: chmod u+rw %[1]s", file, owner)
		case owner == ownerOf(folder): // what the folder has would change nothing
			return fmt.Sprintf("%s cannot be read and written by user %s: its owner is %s, who owns its folder, too. Run the "+
				"command as that user", file, userName(), owner)
		default:
			return fmt.Sprintf("%s cannot be read and written by user %s: its owner is %s. Run the command as that user; or, "+
				"if the server should own the file, say as root: chown --reference=%s/. %s", file, userName(), owner, folder,
				strings.Join(files, " "))
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

// userName names the user of the process.
func userName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return fmt.Sprint(os.Geteuid())
}
