package store

import (
	"encoding/json"

	"tocsin"
)

// part is what is written together: a chunk of the changes.
type part struct {
	listings  []*tocsin.Listing
	reports   []newReport
	replaced  []int64 // reports whose place one of reports takes
	withdrawn []listingKey
	removed   []int64

	ids map[tocsin.Subject]int64 // of what it names, once it is written
	err error                    // why the part could not be made
}

// newReport is a report of a list on its way in.
type newReport struct {
	id, key   string
	body      []byte
	crime     tocsin.CrimeType
	published int64 // or what is no date
	names     []tocsin.Subject
	words     wordsOf // of no report yet
}

func (p *part) rows() int {
	return len(p.listings) + len(p.reports) + len(p.withdrawn) + len(p.removed)
}

// makeParts makes all parts, until stop is closed.
func (im *Importing) makeParts(gone gone, parts chan<- *part, stop <-chan struct{}) {
	named, stories := im.named, im.stories
	for {
		p, left := &part{}, room{rows: chunk, bytes: chunkBytes}
		p.listings, named = take(named, func(*tocsin.Listing) bool { return left.take(1, 0) })
		var added []spooledReport
		added, stories = take(stories, func(r spooledReport) bool {
			if r.replaces > 0 {
				return left.take(1+removal, int(r.body+r.replaces))
			}
			return left.take(1, int(r.body))
		})
		p.withdrawn, gone.listings = take(gone.listings, func(listingKey) bool { return left.take(1, 0) })
		var removed []reportState
		removed, gone.reports = take(gone.reports, func(r reportState) bool { return left.take(removal, int(r.body)) })
		for _, r := range removed {
			p.removed = append(p.removed, r.seq)
		}
		p.err = im.readStories(p, added)
		if p.rows() == 0 && p.err == nil {
			return
		}
		select {
		case parts <- p:
		case <-stop:
			return
		}
		if p.err != nil {
			return
		}
	}
}

// room is what else a part may hold.
type room struct{ rows, bytes int }

// take takes what is left for so many rows with so many bytes of stories, if it is enough. A single story fits, however
// long it is.
func (r *room) take(rows, bytes int) bool {
	if rows > r.rows || bytes > r.bytes && r.bytes < chunkBytes {
		return false
	}
	r.rows -= rows
	r.bytes -= bytes
	return true
}

// take returns those at the beginning of a list that fit, and the rest.
func take[T any](all []T, fits func(T) bool) (first, rest []T) {
	n := 0
	for n < len(all) && fits(all[n]) {
		n++
	}
	return all[:n], all[n:]
}

// readStories makes the reports of a part.
func (im *Importing) readStories(p *part, stories []spooledReport) error {
	for _, st := range stories {
		text, err := im.spool.read(st.where, int(st.key+st.body))
		if err != nil {
			return err
		}
		r := newReport{key: string(text[:st.key]), body: text[st.key:], published: st.published}
		var draft tocsin.Draft
		if err := json.Unmarshal(r.body, &draft); err != nil {
			return err
		}
		if r.id, err = tocsin.NewID("rep_", im.db.random); err != nil {
			return err
		}
		if old := im.reports[reportKeyOf(r.key)].seq; old != 0 {
			p.replaced = append(p.replaced, old)
		}
		r.crime, r.names, r.words = draft.CrimeType, draft.Subjects(), wordsOfDraft(0, &draft)
		p.reports = append(p.reports, r)
	}
	return nil
}
