// Package feed reads public lists in their upstream formats and turns them
// into listings and reports. It knows files and formats; what is done with the
// entries is the store's affair.
package feed

import (
	"context"
	"io/fs"

	"tocsin"
)

// Source is a public list that Tocsin knows how to read.
type Source struct {
	tocsin.List
	About    string   // one line for `tocsin import -list`: what it holds, licence
	Upstream string   // where it is downloaded from: the URL that its file names are joined to
	Files    []string // the files to download, relative to Upstream
	Default  string   // when -from is a single file, what it is taken for, if its own name is none of Files

	read func(ctx context.Context, files fs.FS, out Sink) error
}

// Sink takes what a reader finds.
type Sink struct {
	Entry  func(tocsin.Entry) error         // an error ends the reading
	Refuse func(row, reason, detail string) // one bad row: where it stands or what it is, a reason to count by, particulars
}
