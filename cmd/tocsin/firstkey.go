package main

import (
	"context"
	"fmt"

	"tocsin/internal/store"
)

// example is the subject of the curl line that -first-key prints: the address of
// the Ronin bridge theft, which is in the starter set.
const example = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"

// firstKey returns a curl line to try, and creates a key for it if there is none.
// The URL is that of the API, the quota that of a key without one of its own; the log of acts names who made the key.
func firstKey(ctx context.Context, db *store.DB, user, url string, quota int) (string, error) {
	keys, err := db.Keys(ctx)
	if err != nil {
		return "", err
	}
	live := 0
	for _, k := range keys {
		if k.Revoked == nil {
			live++
		}
	}
	if live > 0 {
		return fmt.Sprintf(`It has API keys already (%d); "tocsin key create" creates another.
Try it:
  curl -H 'x-api-key: YOUR-KEY' %s/screen/%s
`, live, url, example), nil
	}
	created, err := db.IssueKey(ctx, store.Operator{Name: user, Reason: "serve -first-key"}, nil, "", nil)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(`Your API key, shown this once:
  %s
It has %d free calls a day; "tocsin key create -quota N" makes one with N.
Try it:
  curl -H 'x-api-key: %s' %s/screen/%s
`, created.Key, quota, created.Key, url, example), nil
}
