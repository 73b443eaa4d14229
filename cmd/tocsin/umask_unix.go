//go:build unix

package main

import (
	"io/fs"
	"syscall"
)

// withUmask keeps these permissions from files that the process creates, until the function that it returns is called.
// It is for the start of a server, before anything else creates files.
func withUmask(without fs.FileMode) (restore func()) {
	before := syscall.Umask(int(without.Perm()))
	return func() { syscall.Umask(before) }
}
