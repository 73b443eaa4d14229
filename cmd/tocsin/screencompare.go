package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"tocsin/internal/locale"
	"tocsin/internal/sheet"
)

// tables are what `screen -csv` writes: the table or, with -compare, what is not as in an earlier one, and with -save
// the table as well.
type tables struct {
	earlier *sheet.Earlier // nil without -compare
	from    string         // the file of earlier
	fromSum string         // its SHA-256
	save    string
	saveSum string // the SHA-256 of what was saved
	begun   bool
	writers []*sheet.Writer
	changes *sheet.Comparison // nil without -compare
	whole   bytes.Buffer      // for -save
}

// tables reads the earlier table, before anything is screened or written.
func (f *screenFlags) tables() (*tables, error) {
	t := &tables{from: f.compare, save: f.save}
	if f.compare == "" {
		return t, nil
	}
	file, err := os.Open(f.compare)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	sum := sha256.New()
	if t.earlier, err = sheet.ReadEarlier(io.TeeReader(file, sum), 0); err == nil {
		_, err = io.Copy(sum, file) // what a reader of tables leaves
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.compare, err)
	}
	t.fromSum = hex.EncodeToString(sum.Sum(nil))
	return t, nil
}

// begin begins the tables, once the form of the list is known.
func (t *tables) begin(out io.Writer, form sheet.Form, english *locale.Printer) {
	if t.begun {
		return
	}
	t.begun = true
	if t.earlier == nil {
		t.writers = []*sheet.Writer{sheet.NewWriter(out, form)}
		return
	}
	t.changes = sheet.Compare(out, form, t.earlier, english)
	t.writers = []*sheet.Writer{t.changes.Writer}
	if t.save != "" {
		t.writers = append(t.writers, sheet.NewWriter(&t.whole, form))
	}
}

// write writes a row to each table.
func (t *tables) write(row func(*sheet.Writer) error) error {
	for _, w := range t.writers {
		if err := row(w); err != nil {
			return err
		}
	}
	return nil
}

// finish writes the changes, and then replaces the file of the whole table.
func (t *tables) finish() error {
	if t.changes == nil {
		return nil
	}
	if err := t.changes.Finish(); err != nil || t.save == "" {
		return err
	}
	sum := sha256.Sum256(t.whole.Bytes())
	t.saveSum = hex.EncodeToString(sum[:])
	_, err := replaceFile(t.save, &t.whole, 0o600)
	return err
}

// result prints what has changed, with the SHA-256 of the files that say so, and returns the error with the exit status
// for it.
func (t *tables) result(out io.Writer) error {
	fmt.Fprintf(out, "%s\nSHA-256 of %s as it was compared: %s\n", t.changes.Sum(), t.from, t.fromSum)
	if t.save != "" {
		fmt.Fprintf(out, "SHA-256 of %s as it was saved: %s\n", t.save, t.saveSum)
	}
	if n := t.changes.Count(sheet.Unread); n > 0 {
		fmt.Fprintf(out, "Warning: %s changed because a list was removed: %s\n", counted(n, "row"),
			oneLine(strings.Join(t.changes.Removed(), ", "), 200))
	}
	if n := t.changes.Count(sheet.Outdated); n > 0 {
		fmt.Fprintf(out, "Warning: %s changed because an older version of a list was read: %s\n", counted(n, "row"),
			oneLine(strings.Join(t.changes.Outdated(), ", "), 200))
	}
	switch {
	case t.changes.Count(sheet.NewSanction) > 0:
		return statusError(exitSanctioned)
	case len(t.changes.Changes) > 0:
		return statusError(exitChanged)
	}
	return nil
}

// replaceFile replaces a file as a whole.
func replaceFile(file string, text io.WriterTo, mode os.FileMode) (int64, error) {
	temporary, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*")
	if err != nil {
		return 0, err
	}
	defer os.Remove(temporary.Name()) // does nothing once it was renamed
	size, err := text.WriteTo(temporary)
	if err == nil {
		err = temporary.Chmod(mode)
	}
	if err == nil {
		err = temporary.Sync()
	}
	if closed := temporary.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(temporary.Name(), file)
	}
	return size, err
}
