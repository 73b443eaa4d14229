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
	"os"

	"tocsin"
	"tocsin/internal/store"
)

// usedLists is the file of `screen -versions`: by what each answer was made, for an audit.
type usedLists struct {
	ScreenedAt   tocsin.Time      `json:"screenedAt"` // when it began
	Program      string           `json:"program"`
	ScoreVersion string           `json:"scoreVersion"`
	Output       string           `json:"outputSha256"`             // hexadecimal, of what was printed
	Compared     string           `json:"comparedSha256,omitempty"` // of the file of -compare
	Saved        string           `json:"savedSha256,omitempty"`    // of the file of -save
	Lists        []store.UsedList `json:"lists"`
	// Removed are the lists that an operator has taken out, so that nothing of them is in the answers.
	Removed []store.ListRemoval `json:"listsRemoved,omitempty"`

	file string
	sum  hash.Hash
}

// record begins the file of -versions: what is printed goes through its sum. It is nil without the flag.
func (f *screenFlags) record(ctx context.Context, db *store.DB, e *env) (*usedLists, error) {
	if f.versions == "" {
		return nil, nil
	}
	st, err := db.Stats(ctx)
	u := &usedLists{ScreenedAt: db.Now(), Program: "tocsin " + version, ScoreVersion: tocsin.ScoreVersion,
		Lists: st.UsedLists(), Removed: st.Removed, file: f.versions, sum: sha256.New()}
	e.stdout = io.MultiWriter(e.stdout, u.sum)
	return u, err
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
