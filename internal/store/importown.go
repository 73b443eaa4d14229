package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tocsin"
)

// ErrAddedByHand is the error of a safelist file that lacks entries which the operator has added one by one.
var ErrAddedByHand = errors.New("the file lacks entries that safelist add made")

// maxLacked is how many entries that a file lacks are named.
const maxLacked = 20

// lastSafe is the last act that put a subject ($1) on the operator's own safelist, or took it off. An import is one of
// those about a subject that it took off.
const lastSafe = `SELECT act.at, act.op FROM act_object o JOIN act ON act.seq = o.act
	WHERE o.object = $1 AND act.op IN ('safelist add', 'safelist remove', 'import', 'import force')
	ORDER BY act.seq DESC LIMIT 1`

// TakenOff returns the subjects that a file of the operator's own safelist lacks, sorted: Finish takes them off.
func (im *Importing) TakenOff() []string { return im.takenOff }

// checkOwn refuses, unless force, a file of the operator's own safelist that would take off what `safelist add` put
// there, or more than half of the entries, however many others it has.
func (im *Importing) checkOwn(ctx context.Context, gone []listingKey, before int, force bool) error {
	im.takenOff = nil
	if !im.dated || im.act != nil {
		return nil
	}
	for _, k := range gone {
		im.takenOff = append(im.takenOff, k.subject.String())
	}
	slices.Sort(im.takenOff)
	im.takenOff = slices.Compact(im.takenOff)
	if force {
		return nil
	}
	lacked, err := im.addedByHand(ctx, gone)
	switch n := len(lacked); {
	case err != nil:
		return err
	case n > 0:
		if n > maxLacked {
			lacked = append(lacked[:maxLacked], fmt.Sprintf("%d more", n-maxLacked))
		}
		return fmt.Errorf("%w, so nothing was changed: %s. Add them to the file, or import it with -force",
			ErrAddedByHand, strings.Join(lacked, ", "))
	case len(gone)*2 > before:
		return fmt.Errorf("%w: the file lacks %d of %d entries, so nothing was changed; import it with -force if it is right",
			ErrShrunk, len(gone), before)
	}
	return nil
}

// addedByHand names those of the entries that `safelist add` put on the list, what each is, and since when.
func (im *Importing) addedByHand(ctx context.Context, entries []listingKey) (named []string, err error) {
	err = im.db.read(ctx, primary, func(s *conn) error {
		named = nil
		for _, k := range entries {
			var at int64
			var did Action
			err := s.row(ctx, lastSafe, []any{k.subject.String()}, &at, &did)
			if missing(err) || err == nil && did != AddedSafe {
				continue
			}
			var category string
			if err == nil {
				err = s.row(ctx, "SELECT category FROM listing WHERE subject = $1 AND list = $2 AND chain = $3 AND kind = $4",
					[]any{im.listings[k].subject, im.id, k.chain, string(k.kind)}, &category)
			}
			if err != nil {
				return err
			}
			named = append(named, fmt.Sprintf("%s (%s since %s)", k.subject, category, tocsin.MicroTime(at).String()[:10]))
		}
		return nil
	})
	slices.Sort(named)
	return named, err
}
