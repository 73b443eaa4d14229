//go:build !unix

package store

import "os"

// ownAsFolder does nothing where files have no owner of this kind.
func ownAsFolder(*os.File) error { return nil }

// ownerOf is not known.
func ownerOf(string) string { return "" }

// writable is not known.
func writable(string) error { return nil }

// readOnlyDisk is not known.
func readOnlyDisk(error) bool { return false }
