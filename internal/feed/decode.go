package feed

import (
	"archive/tar"
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"go.yaml.in/yaml/v3"

	"tocsin"
)

// readCSV reads a CSV file with a header, and calls row for each record. The
// header must have the required columns; field returns "" for a missing one.
func (r *reader) readCSV(body io.Reader, required []string, row func(field func(column string) string)) error {
	return r.readTable(body, required, nil, row)
}

// readTable is readCSV of a file of the operator's own. Of the columns that are not read it tells the sink: nobody
// else knows that one is mistyped.
func (r *reader) readTable(
	body io.Reader, required, read []string, row func(field func(column string) string),
) error {
	limited := &recordReader{body: body}
	c := csv.NewReader(limited)
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
		if _, ok := columns[name]; !ok && len(header) == 1 && strings.ContainsAny(header[0], ";\t") {
			return fmt.Errorf("the columns are separated by semicolons or tabs, not by commas: %q; save it as CSV with commas",
				cut(header[0]))
		} else if !ok {
			return fmt.Errorf("the CSV header has no column %q", name)
		}
	}
	var ignored []string
	for _, name := range header {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(read, name) {
			ignored = append(ignored, cut(name))
		}
	}
	if read != nil && ignored != nil && r.out.Ignored != nil {
		r.out.Ignored(ignored, read)
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
		limited.size = 0
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

// recordReader fails when a record is longer than maxLine: one of millions of empty
// fields would take up hundreds of MiB.
type recordReader struct {
	body io.Reader
	size int // since the record began, give or take what is buffered
}

func (l *recordReader) Read(p []byte) (int, error) {
	if l.size > maxLine {
		return 0, fmt.Errorf("a record has more than %d KiB", maxLine>>10)
	}
	n, err := l.body.Read(p)
	l.size += n
	return n, err
}

// readBlocks reads a YAML list of maps entry by entry, so that an entry that is
// not valid YAML does not fail the file, unless it is the last one: then the file
// has broken off. Every entry begins with the key first.
func readBlocks[T any](r *reader, body io.Reader, first string, each func(T)) error {
	begin := []byte("- " + first + ":")
	var block []byte
	start := 0
	flush := func() (err error) {
		if block == nil {
			return nil
		}
		var entries []T
		row := fmt.Sprintf("%s, line %d", r.file, start)
		if len(block) > maxBlock {
			r.refuse(row, badRow, "the entry is too long")
		} else if err = yaml.Unmarshal(block, &entries); err != nil {
			r.refuse(row, badRow, err.Error())
		} else if len(entries) != 1 {
			r.refuse(row, badRow, fmt.Sprintf("%d entries where one is expected", len(entries)))
		} else {
			each(entries[0])
		}
		return err
	}
	err := r.readLines(body, func(n int, line []byte) {
		text := bytes.TrimLeft(line, " ")
		switch {
		case bytes.HasPrefix(text, begin):
			flush()
			block, start = block[:0], n
			if block == nil {
				block = []byte{}
			}
		case block == nil && bytes.HasPrefix(text, []byte("- ")):
			r.refuse(fmt.Sprintf("%s, line %d", r.file, n), badRow, fmt.Sprintf("the entry does not begin with %s", first))
		}
		if block != nil && len(block) <= maxBlock {
			block = append(append(block, line...), '\n')
		}
	})
	if err != nil {
		return err
	}
	if err := flush(); err != nil {
		return fmt.Errorf("the file breaks off in its last entry, line %d: %w", start, err)
	}
	return nil
}

// maxBlock is the maximum length of an entry of a YAML file, in bytes.
const maxBlock = 256 << 10

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

// Lines are parsed ahead in batches of about so many.
const (
	batchLines = 64
	batchBytes = 64 << 10
)

// batch is some lines that follow each other.
type batch struct {
	lines   [][]byte
	numbers []int
	size    int
	take    []func()
	done    chan struct{}
}

// readLinesAhead parses every line, on as many processors as there are, and then calls what parse returned, in the
// order of the lines and one by one. Parse changes nothing.
func (r *reader) readLinesAhead(body io.Reader, parse func(n int, line []byte) (take func())) error {
	var ahead []*batch
	takeAllBut := func(left int) {
		for len(ahead) > left {
			<-ahead[0].done
			for _, take := range ahead[0].take {
				take()
			}
			ahead = ahead[1:]
		}
	}
	next := &batch{}
	send := func() {
		b := next
		b.done = make(chan struct{})
		go func() {
			defer close(b.done)
			for i, line := range b.lines {
				b.take = append(b.take, parse(b.numbers[i], line))
			}
		}()
		ahead, next = append(ahead, b), &batch{}
		takeAllBut(runtime.GOMAXPROCS(0))
	}
	err := r.readLines(body, func(n int, line []byte) {
		next.lines, next.numbers = append(next.lines, bytes.Clone(line)), append(next.numbers, n)
		if next.size += len(line); len(next.lines) == batchLines || next.size >= batchBytes {
			send()
		}
	})
	send()
	takeAllBut(0)
	return err
}

// maxUnpacked is the maximum size of an unpacked archive, in bytes, and maxPacked
// that of a file in it. They are several times those of the largest, and stop
// decompression bombs.
const (
	maxUnpacked = 512 << 20
	maxPacked   = 32 << 20
)

// readArchive reads the files of a tar archive that is compressed with Zstandard.
// Upstream publishes none: a snapshot of the history of a list has this form.
func readArchive(body io.Reader, each func(name string, file io.Reader) error) error {
	z, err := zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(64<<20))
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
		if head.Size > maxPacked {
			return fmt.Errorf("%q: it unpacks to %d MiB, which is more than any list has",
				tocsin.Clip(head.Name, 80), head.Size>>20)
		}
		if err := each(head.Name, t); err != nil {
			return fmt.Errorf("%q: %w", tocsin.Clip(head.Name, 80), err)
		}
	}
}
