//go:build linux || darwin

package store

import "syscall"

// freeDisk returns how many bytes are free for this process on the file system of a path.
func freeDisk(path string) (bytes int64, known bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}
