//go:build !unix

package store

import "os"

// ownAsFolder does nothing where files have no owner of this kind.
func ownAsFolder(*os.File) error { return nil }
