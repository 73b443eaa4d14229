//go:build unix

package store

import (
	"errors"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// ownAsFolder gives a file that root has made the owner of its folder: the server, which runs as another user, must be
// able to write to it. SQLite does the same for its log.
func ownAsFolder(f *os.File) error {
	if os.Geteuid() != 0 {
		return nil
	}
	folder, err := os.Stat(filepath.Dir(f.Name()))
	if err != nil {
		return err
	}
	owner, known := folder.Sys().(*syscall.Stat_t)
	if !known || owner.Uid == 0 {
		return nil
	}
	return f.Chown(int(owner.Uid), int(owner.Gid))
}

// ownerOf names the owner of a file; "" if there is no such file.
func ownerOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	owner, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return ""
	}
	id := strconv.FormatUint(uint64(owner.Uid), 10)
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return id
}

// writable reports whether the process may write to a file or a folder.
func writable(path string) error { return syscall.Access(path, 2) }

// readOnlyDisk reports whether an error says that a file system is mounted read-only.
func readOnlyDisk(err error) bool { return errors.Is(err, syscall.EROFS) }
