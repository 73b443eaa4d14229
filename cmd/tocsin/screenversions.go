package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"math"
	"os"

	"tocsin"
	"tocsin/internal/store"
)

// usedLists is the file of `screen -versions`: by what each answer was made, for an audit. Its names are those of case
// files and of /lists.json.
type usedLists struct {
	ScreenedAt   tocsin.Time      `json:"screenedAt"` // when it began
	Program      string           `json:"program"`
	ScoreVersion string           `json:"scoreVersion"`
	Output       string           `json:"outputSha256"`             // hexadecimal, of what was printed
	Compared     string           `json:"comparedSha256,omitempty"` // of the file of -compare
	Saved        string           `json:"savedSha256,omitempty"`    // of the file of -save
	Lists        []store.UsedList `json:"listsRead"`
	// Removed are the lists that an operator has taken out, so that nothing of them is in the answers.
	Removed []removedList `json:"listsRemoved,omitempty"`

	file string
	sum  hash.Hash
}

type removedList struct {
	store.ListRemoval
	By string `json:"removedBy,omitempty"` // the name of the operator
}

// record begins the file of -versions: what is printed goes through its sum. It is nil without the flag.
func (f *screenFlags) record(ctx context.Context, db *store.DB, e *env) (*usedLists, error) {
	if f.versions == "" {
		return nil, nil
	}
	st, err := db.Stats(ctx)
	if err != nil {
		return nil, err
	}
	u := &usedLists{ScreenedAt: db.Now(), Program: "tocsin " + version, ScoreVersion: tocsin.ScoreVersion,
		Lists: st.UsedLists(), file: f.versions, sum: sha256.New()}
	for _, l := range st.Removed {
		acts, err := db.Acts(ctx, store.ActFilter{Since: l.At, Object: l.Name, Limit: math.MaxInt32})
		if err != nil {
			return nil, err
		}
		removed := removedList{ListRemoval: l}
		if len(acts) > 0 { // the first one is the removal
			removed.By = acts[0].Operator
		}
		u.Removed = append(u.Removed, removed)
	}
	e.stdout = io.MultiWriter(e.stdout, u.sum)
	return u, nil
}

// write writes the file, and warns if a list was imported since it was begun.
func (u *usedLists) write(ctx context.Context, db *store.DB, e env, t *tables) error {
	if u == nil {
		return nil
	}
	now, err := db.Stats(ctx)
	if err != nil {
		return err
	}
	before, _ := json.Marshal(u.Lists) // a value that always can be
	if after, _ := json.Marshal(now.UsedLists()); !bytes.Equal(before, after) {
		fmt.Fprintf(e.stderr, "Warning: a list was imported meanwhile: %s has the versions from before\n", u.file)
	}
	u.Output, u.Compared, u.Saved = hex.EncodeToString(u.sum.Sum(nil)), t.fromSum, t.saveSum
	text, err := json.MarshalIndent(u, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(u.file, append(text, '\n'), 0o644)
}
