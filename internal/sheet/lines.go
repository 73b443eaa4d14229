package sheet

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// ErrWorkbook is the error of a file that is a workbook of Excel, and no text.
var ErrWorkbook = errors.New("this is an Excel workbook; save it as CSV, and read that file")

// Lines reads the lines of a text in the encodings of spreadsheets: UTF-8, UTF-16 with a byte order mark, and
// Windows-1252, in which Excel saves "CSV". A line that is not valid UTF-8 is read as that.
type Lines struct {
	raw    *bufio.Reader
	in     *bufio.Reader // as UTF-8, without the mark; nil before the first line
	back   []string      // lines that are returned again
	open   int           // cells in quotes that never closed
	marked bool
}

// NewLines returns the lines of a text.
func NewLines(in io.Reader) *Lines { return &Lines{raw: bufio.NewReader(in)} }

// Marked reports whether what was read had a byte order mark or was not UTF-8, so that the program that wrote it
// expects a mark in UTF-8.
func (l *Lines) Marked() bool { return l.marked }

// workbooks are the beginnings of files of Excel: a ZIP archive, and the older format.
var workbooks = [][]byte{[]byte("PK\x03\x04"), []byte("\xd0\xcf\x11\xe0")}

// Next returns the next line, without its end. At the end of the text the error is [io.EOF].
func (l *Lines) Next() (string, error) {
	if len(l.back) > 0 {
		text := l.back[0]
		l.back = l.back[1:]
		return text, nil
	}
	if l.in == nil {
		start, _ := l.raw.Peek(4) // an error is that of the first line
		for _, begin := range workbooks {
			if bytes.HasPrefix(start, begin) {
				return "", ErrWorkbook
			}
		}
		for _, mark := range []string{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"} {
			l.marked = l.marked || bytes.HasPrefix(start, []byte(mark))
		}
		l.in = bufio.NewReader(transform.NewReader(l.raw, unicode.BOMOverride(transform.Nop)))
	}
	text, err := l.in.ReadString('\n')
	if text == "" || err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if !utf8.ValidString(text) {
		l.marked = true
		// It has a character for each byte; those that mean nothing become U+FFFD.
		text, _ = charmap.Windows1252.NewDecoder().String(text)
	}
	return strings.TrimRight(text, "\r\n"), nil
}

// A cell in quotes may have line breaks. One that is longer is a quote that was never closed.
const (
	maxBreaks = 20
	maxRecord = 8 << 10 // bytes
	// maxOpen is after how many of these a text has no cells with line breaks: each is read with the lines behind it.
	maxOpen = 100
)

// record returns the next record of a table: a line, or several if a cell in quotes has line breaks, which become
// spaces.
func (l *Lines) record() (string, error) {
	text, err := l.Next()
	if err != nil || l.open >= maxOpen || !quoteIsOpen(text) {
		return text, err
	}
	joined, taken := text, []string(nil)
	for len(taken) < maxBreaks && len(joined) < maxRecord {
		more, err := l.Next()
		if err != nil { // it comes again
			break
		}
		taken = append(taken, more)
		if joined += " " + more; !quoteIsOpen(joined) {
			return joined, nil
		}
	}
	l.back, l.open = append(taken, l.back...), l.open+1
	return text, nil
}

// quoteIsOpen reports whether a cell in quotes does not end in a text, whichever mark separates the cells.
func quoteIsOpen(text string) bool {
	inside, starts := false, true // of a cell in quotes; where one may begin
	for i := 0; i < len(text); i++ {
		c, rest := text[i], text[i+1:]
		switch {
		case !inside:
			if inside = c == '"' && starts; !inside {
				starts = strings.IndexByte(",;\t", c) >= 0 || starts && c == ' '
			}
		case c == '"' && strings.HasPrefix(rest, `"`):
			i++
		case c == '"' && strings.TrimLeft(rest, " ") == "" || c == '"' && strings.ContainsAny(rest[:1], ",;\t"):
			inside, starts = false, false
		}
	}
	return inside
}
