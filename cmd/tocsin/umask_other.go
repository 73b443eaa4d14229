//go:build !unix

package main

import "io/fs"

// withUmask does nothing where files have no permissions.
func withUmask(fs.FileMode) (restore func()) { return func() {} }
