package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// progressInterval is the least time between two updates of a progress line.
const progressInterval = 200 * time.Millisecond

// progress shows how far a long command is, in one line of a terminal that each
// update overwrites. Without a terminal it writes nothing.
type progress struct {
	w       io.Writer // nil without a terminal
	updated time.Time
	width   int // of the line that is shown, in bytes; 0 for none
}

// newProgress returns a progress line on w, which is silent unless w is a terminal.
func newProgress(w io.Writer) *progress {
	if isTerminal(w) {
		return &progress{w: w}
	}
	return &progress{}
}

// isTerminal reports whether people read what is written. A device that is no terminal, such as /dev/null, counts as
// one: there it does no harm.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// step returns the function that reports the progress of one step. A total of 0
// means that the total is unknown; done is then a number of bytes.
func (p *progress) step(name string) func(done, total int64) {
	return func(done, total int64) {
		now := time.Now()
		if p.w == nil || now.Sub(p.updated) < progressInterval {
			return
		}
		p.updated = now
		line := fmt.Sprintf("%s %.1f MB", name, float64(done)/1e6)
		if total > 0 {
			line = fmt.Sprintf("%s %3d%%", name, 100*done/total)
		}
		fmt.Fprintf(p.w, "\r%-*s", p.width, line) // the padding covers a longer line before it
		p.width = len(line)
	}
}

// end erases the line.
func (p *progress) end() {
	if p.width > 0 {
		fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", p.width))
		p.width = 0
	}
}
