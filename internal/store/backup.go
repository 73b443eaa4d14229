package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tocsin"
)

// Copied describes the content of a backup.
type Copied struct {
	Reports, Listings, Agents, Keys, Payments int
	Bytes                                     int64

	ReadOnly bool // the database was read-only, for all processes, when it was copied

	schema int64
}

// Backup writes a copy of the database to a new file, beside whatever reads and
// writes it: all of one moment. Only the user of the process may read the file. It
// holds no salts, no hashes of the networks of anonymous reports, no sessions, no nonces
// and not the secret from which manage tokens are derived: a restored database does not
// need them. Keys and manage tokens are in it as hashes, and of the network of an agent
// one byte of a hash with its key, which scores need (docs/decisions/0020). The copy is
// checked before it gets its name. A file that exists is an error and is not touched.
func (db *DB) Backup(ctx context.Context, path string) (copied Copied, err error) {
	err = writeNew(path, "backup", func(part string, _ *os.File) error {
		defer os.Remove(part + "-journal") // which SQLite leaves when the disk is full
		before, err := db.holds(ctx)
		if err != nil {
			return err
		}
		if err := db.dialect.copyTo(ctx, part, db.Now()); err != nil {
			return fmt.Errorf("write backup: %w", err)
		}
		copied, err = checkCopy(ctx, part)
		switch {
		case err != nil:
			return fmt.Errorf("check backup: %w", err)
		case copied.schema != schemaVersion:
			return fmt.Errorf("check backup: it has schema %d", copied.schema)
		case copied.Reports < before.Reports || copied.Listings < before.Listings || copied.Agents < before.Agents ||
			copied.Keys < before.Keys: // none of these is ever deleted
			return fmt.Errorf("check backup: it has %+v, and the database had %+v before it", copied, before)
		}
		return nil
	})
	if err != nil {
		return copied, err
	}
	info, err := os.Stat(path)
	if err == nil {
		copied.Bytes = info.Size()
	}
	return copied, err
}

// LastBackup is the time of the last successful backup.
type LastBackup struct {
	Files bool        // the database is a file, of which [DB.Backup] makes copies; of others it may not be noted
	At    tocsin.Time // zero if there was none
}

// Made reports whether there was one.
func (b LastBackup) Made() bool { return b.At != tocsin.Time{} }

// NoteBackup records that a backup has just succeeded, whichever program has made it.
func (db *DB) NoteBackup(ctx context.Context) error {
	return db.write(context.WithoutCancel(ctx), accounts, true, func(ctx context.Context, s *conn) error {
		return setMetaTime(ctx, s, metaBackup, db.Now())
	})
}

// lastBackup reads when a backup ended well last.
func (db *DB) lastBackup(ctx context.Context, s *conn) (b LastBackup, err error) {
	b.Files = db.dialect.path() != ""
	at, err := getMetaNumber(ctx, s, metaBackup)
	if at > 0 {
		b.At = tocsin.MicroTime(at)
	}
	return b, err
}

// Restore makes a new database file of a backup, and checks it. A file that exists is an error and is not touched.
// Neither may its write-ahead log or rollback journal be there: it would be read into the restored database. A backup
// of an older program is brought up to date when the database is opened. Run as root, it gives the file the owner of
// its folder, who is the user of the server.
func Restore(ctx context.Context, backup, path string) (copied Copied, err error) {
	if strings.Contains(path, "://") {
		return copied, errors.New("a backup is restored to a file: bring it to a PostgreSQL server with tocsin migrate")
	}
	from, err := os.Open(backup)
	if err != nil {
		return copied, err
	}
	defer from.Close()
	err = writeNew(path, "database", func(part string, to *os.File) error {
		for _, suffix := range []string{"-wal", "-shm", "-journal"} {
			for _, path := range []string{path + suffix, part + suffix} {
				if _, err := os.Lstat(path); err == nil {
					return fmt.Errorf("%s exists: it belongs to another database; move it away together with its file",
						path)
				}
			}
			if _, err := os.Lstat(backup + suffix); err == nil {
				return fmt.Errorf("%s exists: %s is a database in use, not a backup; copy it with tocsin backup",
					backup+suffix, backup)
			}
		}
		if copied.Bytes, err = io.Copy(to, from); err != nil {
			return err
		}
		size := copied.Bytes
		if copied, err = checkCopy(ctx, part); err != nil {
			return fmt.Errorf("%s is no sound backup: %w", backup, err)
		}
		if copied.Bytes = size; copied.schema > schemaVersion {
			return fmt.Errorf("%s: %w", backup, NewerSchema{copied.schema})
		}
		return ownAsFolder(to)
	})
	return copied, err
}

// writeNew has a file written under another name, and gives it its name when it is whole and on disk: one that was cut
// off must not look like one that is whole. Only the user of the process may read it. A file that exists is an error.
func writeNew(path, what string, write func(part string, f *os.File) error) error {
	exists := func() error {
		return fmt.Errorf("%s exists already: a %s is written to a new file only", path, what)
	}
	if _, err := os.Lstat(path); err == nil {
		return exists()
	}
	part := path + ".part"
	f, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists: another %s is being written, or one was cut off; "+
			"delete the file if none is", part, what)
	}
	if err != nil {
		return explainOpening(fmt.Errorf("write %s: %w", what, err), part)
	}
	defer func() {
		f.Close()
		os.Remove(part)
	}()
	if err := f.Chmod(0o600); err != nil { // a umask may have taken even that
		return fmt.Errorf("write %s: %w", what, err)
	}
	if err := write(part, f); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("write %s: %w", what, err)
	}
	if err := os.Link(part, path); errors.Is(err, fs.ErrExist) { // unlike a rename, it never replaces a file
		return exists()
	} else if err != nil {
		return fmt.Errorf("write %s: %w", what, err)
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil { // so that the name is on disk as well
		dir.Sync()
		dir.Close()
	}
	return nil
}

// holds counts what a backup must have.
func (db *DB) holds(ctx context.Context) (c Copied, err error) {
	err = db.read(ctx, primary, func(s *conn) error { return countRows(ctx, s, &c) })
	return c, err
}

func countRows(ctx context.Context, s *conn, c *Copied) error {
	return s.row(ctx, `SELECT (SELECT count(*) FROM report), (SELECT count(*) FROM listing), (SELECT count(*) FROM agent),
		(SELECT count(*) FROM key), (SELECT count(*) FROM claim WHERE state = 'settled')`, nil,
		&c.Reports, &c.Listings, &c.Agents, &c.Keys, &c.Payments)
}
