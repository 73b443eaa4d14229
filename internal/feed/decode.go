package feed

import (
	"archive/tar"
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
	"go.yaml.in/yaml/v3"
)

// row is an element of a JSON file that keeps its own decoding error, so that one
// element of another shape does not fail the file.
type row[T any] struct {
	value T
	err   error
}

func (r *row[T]) UnmarshalJSON(text []byte) error {
	r.err = json.Unmarshal(text, &r.value)
	return nil
}

// valid returns the elements that could be decoded, and refuses the others.
func valid[T any](r *reader, rows []row[T]) []T {
	values := make([]T, 0, len(rows))
	for i, e := range rows {
		if e.err != nil {
			r.refuse(fmt.Sprintf("%s, element %d", r.file, i), badRow, e.err.Error())
			continue
		}
		values = append(values, e.value)
	}
	return values
}

// decodeJSON decodes a file that consists of one JSON value.
func decodeJSON(body io.Reader, v any) error {
	d := json.NewDecoder(body)
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("the file is not the JSON of this list: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("the file has data after the end of its JSON")
	}
	return nil
}

// decodeArray decodes a JSON array of rows.
func decodeArray[T any](r *reader, body io.Reader) ([]T, error) {
	var rows []row[T]
	if err := decodeJSON(body, &rows); err != nil {
		return nil, err
	}
	return valid(r, rows), nil
}

// readCSV reads a CSV file with a header, and calls row for each record. The
// header must have the required columns; field returns "" for a missing one.
func (r *reader) readCSV(body io.Reader, required []string, row func(field func(column string) string)) error {
	c := csv.NewReader(body)
	c.FieldsPerRecord = -1
	header, err := c.Read()
	if err != nil {
		return fmt.Errorf("the file has no CSV header: %w", err)
	}
	columns := make(map[string]int, len(header))
	for i, name := range header {
		columns[strings.TrimSpace(name)] = i
	}
	for _, name := range required {
		if _, ok := columns[name]; !ok {
			return fmt.Errorf("the CSV header has no column %q", name)
		}
	}
	c.ReuseRecord = true
	var record []string
	field := func(column string) string {
		if i, ok := columns[column]; ok && i < len(record) {
			return record[i]
		}
		return ""
	}
	var unclosed error // of the last record, if it is a malformed one of several lines
	for {
		record, err = c.Read()
		var bad *csv.ParseError
		switch {
		case err == io.EOF:
			return unclosed // a quote that is never closed takes in the rest of the file
		case errors.As(err, &bad):
			if unclosed = nil; bad.Line > bad.StartLine {
				unclosed = err
			}
			r.refuse(fmt.Sprintf("%s, line %d", r.file, bad.StartLine), badRow, bad.Err.Error())
		case err != nil:
			return err
		default:
			unclosed = nil
			row(field)
		}
	}
}

// readBlocks reads a YAML list of maps entry by entry, so that an entry that is
// not valid YAML does not fail the file. Every entry begins with the key first.
func readBlocks[T any](r *reader, body io.Reader, first string, each func(T)) error {
	begin := []byte("- " + first + ":")
	var block []byte
	start := 0
	flush := func() {
		if block == nil {
			return
		}
		var entries []T
		if err := yaml.Unmarshal(block, &entries); err != nil || len(entries) != 1 {
			r.refuse(fmt.Sprintf("%s, line %d", r.file, start), badRow, fmt.Sprint(err))
		} else {
			each(entries[0])
		}
	}
	err := r.readLines(body, func(n int, line []byte) {
		if bytes.HasPrefix(bytes.TrimLeft(line, " "), begin) {
			flush()
			block, start = []byte{}, n
		}
		if block != nil {
			block = append(append(block, line...), '\n')
		}
	})
	if err == nil {
		flush()
	}
	return err
}

// maxLine is the maximum length of a line, in bytes. No list comes near a tenth of it.
const maxLine = 1 << 20

// readLines calls each with every line, numbered from 1. A line over maxLine is
// refused.
func (r *reader) readLines(body io.Reader, each func(n int, line []byte)) error {
	in := bufio.NewReaderSize(body, 64<<10)
	var line []byte
	for n := 1; ; n++ {
		line = line[:0]
		tooLong := false
		err := bufio.ErrBufferFull
		for err == bufio.ErrBufferFull {
			var part []byte
			part, err = in.ReadSlice('\n')
			if tooLong = tooLong || len(line)+len(part) > maxLine; !tooLong {
				line = append(line, part...)
			}
		}
		if err != nil && err != io.EOF {
			return err
		}
		switch {
		case tooLong:
			r.refuse(fmt.Sprintf("%s, line %d", r.file, n), badRow, "the line is too long")
		case len(line) > 0:
			each(n, bytes.TrimRight(line, "\r\n"))
		}
		if err == io.EOF {
			return nil
		}
	}
}

// maxUnpacked is the maximum size of an unpacked archive, in bytes. It is several
// times that of the largest, and stops decompression bombs.
const maxUnpacked = 512 << 20

// readArchive reads the files of a tar archive that is compressed with Zstandard.
// Upstream publishes none: a snapshot of the history of a list has this form.
func readArchive(body io.Reader, each func(name string, file io.Reader) error) error {
	z, err := zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(128<<20))
	if err != nil {
		return err
	}
	defer z.Close()
	for t := tar.NewReader(io.LimitReader(z, maxUnpacked)); ; {
		head, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the file is not a tar.zst archive: %w", err)
		}
		if head.Typeflag != tar.TypeReg {
			continue
		}
		if head.Size > maxUnpacked/4 {
			return fmt.Errorf("%s: it unpacks to %d MiB, which is more than any list has", head.Name, head.Size>>20)
		}
		if err := each(head.Name, t); err != nil {
			return fmt.Errorf("%s: %w", head.Name, err)
		}
	}
}
