package feed

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/klauspost/compress/zstd"

	"tocsin"
)

var today = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

// Addresses that nobody uses.
const (
	adA    = "0x00000000000000000000000000000000000000aa"
	adB    = "0x00000000000000000000000000000000000000bb"
	adC    = "0x00000000000000000000000000000000000000cc"
	badSm  = "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"  // EIP-55's first example, one letter in the wrong case
	boat   = "1BoatSLRHtKNngkdXEeobR76b53LETtpyT"          // Bitcoin, of an address generator's manual
	mint   = "So11111111111111111111111111111111111111112" // Solana, of a program
	hash32 = "0x1111111111111111111111111111111111111111111111111111111111111111"
)

// collect reads a list and returns its reports by key, its listings, and the number
// of refusals by reason.
func collect(s Source, files fs.FS) (
	reports map[string]tocsin.Draft, listings []tocsin.Listing, refused map[string]int, err error,
) {
	reports, refused = map[string]tocsin.Draft{}, map[string]int{}
	_, err = s.Read(context.Background(), files, today, Sink{
		Entry: func(e tocsin.Entry) error {
			if e.Report != nil {
				reports[e.Key] = *e.Report
			}
			if e.Listing != nil {
				listings = append(listings, *e.Listing)
			}
			return nil
		},
		Refuse: func(_, reason, _ string) { refused[reason]++ },
	})
	return reports, listings, refused, err
}

// tree makes a file system of names and texts.
func tree(files ...string) fstest.MapFS {
	t := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		t[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return t
}

// packed makes a tar.zst of names and texts.
func packed(t testing.TB, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	for i := 0; i < len(files); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: files[i], Size: int64(len(files[i+1])), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// lines formats listings for a comparison, one per line.
func lines(listings []tocsin.Listing) string {
	var b strings.Builder
	for _, l := range listings {
		fmt.Fprintf(&b, "%s %s %s", l.Kind, l.Category, l.Subject.Value)
		if l.Chain != "" {
			fmt.Fprintf(&b, " on %s", l.Chain)
		}
		if l.Since != nil {
			fmt.Fprintf(&b, " since %s", l.Since.Std().Format(time.DateOnly))
		}
		if l.Name+l.Program != "" {
			fmt.Fprintf(&b, " (%s)", strings.Trim(l.Name+" / "+l.Program, " /"))
		}
		if len(l.Aliases) > 0 {
			fmt.Fprintf(&b, " also %s", strings.Join(l.Aliases, ", "))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// check fails the test if an entry is not what the store and the score rely on.
func check(t *testing.T, list string, e tocsin.Entry) {
	t.Helper()
	if l := e.Listing; l != nil {
		again, err := tocsin.ParseSubject(l.Subject.String())
		if err != nil || again != l.Subject {
			t.Fatalf("%s lists %+v, which is not canonical: %v", list, l.Subject, err)
		}
		own := list == "ndjson" || list == "csv" || list == StarterList // files of the operator have no page
		if l.List != list || l.URL == "" && !own {
			t.Errorf("%s: the listing of %s has list %q and URL %q", list, l.Subject, l.List, l.URL)
		}
		switch l.Kind {
		case tocsin.Risk:
			if _, err := tocsin.ParseCrimeType(l.Category); err != nil {
				t.Errorf("%s: %s has the category %q", list, l.Subject, l.Category)
			}
			fallthrough
		case tocsin.Safe:
			if d, err := tocsin.ParseDomain(l.Subject.Value); l.Subject.Kind == tocsin.DNS && (err != nil || d.Shared()) {
				t.Errorf("%s lists %s as %s, although it is shared", list, l.Subject, l.Kind)
			}
			if l.Category == "" {
				t.Errorf("%s: %s has no category", list, l.Subject)
			}
		case tocsin.Shared, tocsin.Sanction:
		default:
			t.Errorf("%s: %s has the kind %q", list, l.Subject, l.Kind)
		}
	}
	if d := e.Report; d != nil {
		if e.Key == "" {
			t.Errorf("%s: the report %q has no key", list, d.Title)
		}
		if again, err := d.Parse(time.Now()); err != nil {
			t.Errorf("%s: the report %q is no valid one: %v", list, d.Title, err)
		} else if !slices.Equal(again.Subjects(), d.Subjects()) {
			t.Errorf("%s: the subjects of %q are not canonical", list, d.Title)
		}
	}
}

func address(t *testing.T, text string) tocsin.Subject {
	t.Helper()
	a, err := tocsin.ParseAddress(text)
	if err != nil {
		t.Fatal(err)
	}
	return a.Subject()
}
