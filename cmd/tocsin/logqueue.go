package main

import (
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"tocsin/internal/front"
	"tocsin/internal/health"
	"tocsin/internal/store"
)

const (
	// maxQueued is how many bytes of the log wait to be written at most.
	maxQueued = 1 << 20
	// pause is how long the log waits for more lines before it writes: one write of many costs less than many.
	pause = 2 * time.Millisecond
	// flushTimeout is how long the end of the program waits for the log to be written.
	flushTimeout = 2 * time.Second
)

// logQueue writes the log in a goroutine of its own, so that no request waits for whoever reads the log: a pipe that is
// full, a terminal that is stopped, a disk that hangs. Lines that find no place, or cannot be written, are dropped and
// counted. Once lines can be written again, one says how many were dropped.
type logQueue struct {
	out   io.Writer
	form  front.LogOptions
	board *health.Board
	now   func() time.Time

	lines   chan queuedLine
	queued  atomic.Int64 // bytes
	dropped atomic.Int64 // lines, that no line says yet
	lost    atomic.Int64 // lines that were dropped so far
	closing chan struct{}
	closed  func()
	done    chan struct{}
}

// queuedLine is a line that waits.
type queuedLine struct {
	text   []byte
	missed int64 // lines that were dropped before it
}

func newLogQueue(out io.Writer, form front.LogOptions, board *health.Board, now func() time.Time) *logQueue {
	q := &logQueue{
		out:     out,
		form:    form,
		board:   board,
		now:     now,
		lines:   make(chan queuedLine, maxQueued/64),
		closing: make(chan struct{}),
		done:    make(chan struct{}),
	}
	q.closed = sync.OnceFunc(func() { close(q.closing) })
	go q.run()
	return q
}

// Write implements [io.Writer]. It never waits and never fails.
func (q *logQueue) Write(line []byte) (int, error) {
	size := int64(len(line))
	if q.queued.Add(size) > maxQueued {
		q.queued.Add(-size)
		q.drop(1)
		return len(line), nil
	}
	waiting := queuedLine{append([]byte(nil), line...), q.dropped.Swap(0)}
	select {
	case q.lines <- waiting:
	default:
		q.queued.Add(-size)
		q.dropped.Add(waiting.missed)
		q.drop(1)
	}
	return len(line), nil
}

func (q *logQueue) drop(lines int) {
	q.dropped.Add(int64(lines))
	q.lost.Add(int64(lines))
	q.board.Count(health.Log, health.Dropped, lines)
}

// run writes lines until the queue is flushed.
func (q *logQueue) run() {
	defer close(q.done)
	for {
		select {
		case line := <-q.lines:
			time.Sleep(pause)
			q.print(line)
		case <-q.closing:
			for {
				select {
				case line := <-q.lines:
					q.print(line)
				default:
					return
				}
			}
		}
	}
}

// maxWritten is how many bytes of lines are written at once, about.
const maxWritten = 64 << 10

// print writes a line with those that wait behind it, and before a line how many were dropped there.
func (q *logQueue) print(line queuedLine) {
	for waiting := true; waiting; {
		q.tell(line.missed)
		text, lines := line.text, 1
		waiting = false
		for empty := false; !empty && !waiting && len(text) < maxWritten; {
			select {
			case line = <-q.lines:
				if waiting = line.missed > 0; !waiting {
					text = append(text, line.text...)
					lines++
				}
			default:
				empty = true
			}
		}
		q.queued.Add(-int64(len(text)))
		if _, err := q.out.Write(text); err != nil {
			q.drop(lines)
		} else if len(q.lines) == 0 && !waiting {
			q.tell(q.dropped.Swap(0))
		}
	}
}

// tell writes how many lines were dropped.
func (q *logQueue) tell(n int64) {
	if n == 0 {
		return
	}
	r := slog.NewRecord(q.now(), slog.LevelWarn, "log lines were dropped", 0)
	r.AddAttrs(slog.Int64("lines", n))
	if q.form.Line(q.out, r) != nil {
		q.dropped.Add(n)
	}
}

// flush ends the queue when what it holds is written, or after flushTimeout. Lines that come later are lost.
func (q *logQueue) flush() {
	q.closed()
	timeout := time.NewTimer(flushTimeout)
	defer timeout.Stop()
	select {
	case <-q.done:
	case <-timeout.C:
	}
}

// logTrouble logs that something does not work, or works again.
func logTrouble(log *slog.Logger, t health.Trouble, begun bool) {
	if !begun {
		log.Info("over: "+t.String(), "part", t.Part)
		return
	}
	log.Error(t.String(), "part", t.Part, "remedy", t.Remedy())
}

// logModel writes how the read model was loaded, which may take so many bytes.
func logModel(log *slog.Logger, m store.ModelLoad, bound int) {
	size := []any{"subjects", m.Subjects, "MiB", m.Bytes >> 20, "maxMiB", bound >> 20}
	if m.TooLarge {
		log.Warn("there is more on record than fits the memory: each screening that was not asked for lately reads the "+
			"database; raise -memory", size...)
		return
	}
	log.Info("read model loaded", append(size, "durationMs", m.Took.Milliseconds())...)
}
