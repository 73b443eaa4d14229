package tocsin

import (
	"errors"
	"testing"
)

func TestAStateOfFilingSaysWhoIsRefused(t *testing.T) {
	for state, codes := range map[FilingState][2]Code{ // without and with a key
		FilingOpen: {}, FilingKeysOnly: {FilingNeedsKey, ""}, FilingShut: {FilingClosed, FilingClosed},
	} {
		for i, want := range codes {
			var refusal *Error
			code := Code("")
			if errors.As(state.Refuse(i == 1), &refusal) {
				code = refusal.Code
			}
			if code != want {
				t.Errorf("%s, with a key %t: %q, want %q", state, i == 1, code, want)
			}
		}
	}
}
