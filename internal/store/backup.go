package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Copied says what a backup holds.
type Copied struct {
	Reports, Listings, Agents, Keys, Payments int
	Bytes                                     int64
}

// Backup writes a copy of the database to a new file, beside whatever reads and
// writes it: all of one moment. Only the user of the process may read the file. It
// holds no salts, no hashes of the networks of anonymous reports, no sessions, no nonces
// and not the secret from which manage tokens are derived: a restored database does not
// need them. Keys and manage tokens are in it as hashes, and of the network of an agent
// one byte of a hash with its key, which scores need (docs/decisions/0020). The copy is
// checked before it gets its name. A file that exists is an error and is not touched.
func (db *DB) Backup(ctx context.Context, path string) (copied Copied, err error) {
	exists := func() error {
		return fmt.Errorf("%s exists already: a backup is written to a new file only", path)
	}
	if _, err := os.Lstat(path); err == nil {
		return copied, exists()
	}
	// Until it is complete it has another name: a backup that was cut off must not look like one.
	part := path + ".part"
	f, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return copied, fmt.Errorf("%s exists: another backup is being written, or one was cut off; "+
			"delete the file if none is", part)
	}
	if err != nil {
		return copied, fmt.Errorf("write backup: %w", err)
	}
	defer func() {
		f.Close()
		os.Remove(part)
	}()
	if err := f.Chmod(0o600); err != nil { // a umask may have taken even that
		return copied, fmt.Errorf("write backup: %w", err)
	}
	before, err := db.holds(ctx)
	if err != nil {
		return copied, err
	}
	if err := db.dialect.copyTo(ctx, part); err != nil {
		return copied, fmt.Errorf("write backup: %w", err)
	}
	copied, err = checkCopy(ctx, part)
	if err != nil {
		return copied, fmt.Errorf("check backup: %w", err)
	}
	if copied.Reports < before.Reports || copied.Listings < before.Listings || copied.Agents < before.Agents ||
		copied.Keys < before.Keys { // none of these is ever deleted
		return copied, fmt.Errorf("check backup: it has %+v, and the database had %+v before it", copied, before)
	}
	if err := f.Sync(); err != nil {
		return copied, fmt.Errorf("write backup: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return copied, err
	}
	copied.Bytes = info.Size()
	if err := os.Link(part, path); errors.Is(err, fs.ErrExist) { // unlike a rename, it never replaces a file
		return copied, exists()
	} else if err != nil {
		return copied, fmt.Errorf("write backup: %w", err)
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil { // so that the name is on disk as well
		dir.Sync()
		dir.Close()
	}
	return copied, nil
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
