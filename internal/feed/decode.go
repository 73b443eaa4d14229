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

// row is an element of a JSON file that keeps its fault to itself, so that one
// element of another shape does not spoil the file.
type row[T any] struct {
	value T
	fault error
}

func (r *row[T]) UnmarshalJSON(text []byte) error {
	r.fault = json.Unmarshal(text, &r.value)
	return nil
}

// good returns the elements that could be read, and refuses the others.
func good[T any](r *reading, rows []row[T]) []T {
	values := make([]T, 0, len(rows))
	for i, e := range rows {
		if e.fault != nil {
			r.refuse(fmt.Sprintf("%s, element %d", r.file, i), badRow, e.fault.Error())
			continue
		}
		values = append(values, e.value)
	}
	return values
}

// decodeJSON reads the one JSON value that a file consists of.
func decodeJSON(body io.Reader, v any) error {
	d := json.NewDecoder(body)
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("it is not the JSON of this list: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is something after the end of its JSON")
	}
	return nil
}

// array decodes a JSON array of rows.
func array[T any](r *reading, body io.Reader) ([]T, error) {
	var rows []row[T]
	if err := decodeJSON(body, &rows); err != nil {
		return nil, err
	}
	return good(r, rows), nil
}

// table reads a CSV file with a header. It must have the columns in need.
func (r *reading) table(body io.Reader, need []string, each func(field func(column string) string)) error {
	c := csv.NewReader(body)
	c.FieldsPerRecord = -1
	header, err := c.Read()
	if err != nil {
		return fmt.Errorf("it has no CSV header: %w", err)
	}
	columns := make(map[string]int, len(header))
	for i, name := range header {
		columns[strings.TrimSpace(name)] = i
	}
	for _, name := range need {
		if _, ok := columns[name]; !ok {
			return fmt.Errorf("its header has no column %q", name)
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
	var torn error // the last row, if it was a bad one of several lines
	for {
		record, err = c.Read()
		var bad *csv.ParseError
		switch {
		case err == io.EOF:
			return torn // a quote that was never closed has swallowed the rest of the file
		case errors.As(err, &bad):
			if torn = nil; bad.Line > bad.StartLine {
				torn = err
			}
			r.refuse(fmt.Sprintf("%s, line %d", r.file, bad.StartLine), badRow, bad.Err.Error())
		case err != nil:
			return err
		default:
			torn = nil
			each(field)
		}
	}
}

// blocks reads a YAML list of maps entry by entry, so that an entry that is no
// YAML does not take the others with it. Every entry begins with the key first.
func blocks[T any](r *reading, body io.Reader, first string, each func(T)) error {
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
	err := r.lines(body, func(n int, line []byte) {
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

// maxLine is how long a line may be, in bytes. No list has one a tenth as long.
const maxLine = 1 << 20

// lines reads a file line by line. One that is too long is refused, and the
// others are read all the same.
func (r *reading) lines(body io.Reader, each func(n int, line []byte)) error {
	in := bufio.NewReaderSize(body, 64<<10)
	var line []byte
	for n := 1; ; n++ {
		line = line[:0]
		long := false
		for {
			part, err := in.ReadSlice('\n')
			if long = long || len(line)+len(part) > maxLine; !long {
				line = append(line, part...)
			}
			if err == nil {
				break
			}
			if err == io.EOF {
				if len(line) > 0 && !long {
					each(n, bytes.TrimRight(line, "\r\n"))
				} else if long {
					r.refuse(fmt.Sprintf("%s, line %d", r.file, n), badRow, "it is too long")
				}
				return nil
			}
			if err != bufio.ErrBufferFull {
				return err
			}
		}
		if long {
			r.refuse(fmt.Sprintf("%s, line %d", r.file, n), badRow, "it is too long")
			continue
		}
		each(n, bytes.TrimRight(line, "\r\n"))
	}
}

// maxUnpacked is how large an archive may become, in bytes: several times what
// the largest of them is, so that a bomb does no harm.
const maxUnpacked = 512 << 20

// archive reads the files of a tar archive that was compressed with Zstandard.
func archive(body io.Reader, each func(name string, file io.Reader) error) error {
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
			return fmt.Errorf("it is not a tar.zst archive: %w", err)
		}
		if head.Typeflag != tar.TypeReg {
			continue
		}
		if head.Size > maxUnpacked/4 {
			return fmt.Errorf("%s: it unpacks to %d MiB, which no list does", head.Name, head.Size>>20)
		}
		if err := each(head.Name, t); err != nil {
			return fmt.Errorf("%s: %w", head.Name, err)
		}
	}
}
