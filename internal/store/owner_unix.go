//go:build unix

package store

import (
	"os"
	"path/filepath"
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
