package contract

import (
	"bytes"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"tocsin"
)

// RepeatedName returns the place of the first name that an object of a JSON text has twice, such as "evidence.urls"; ""
// if there is none, or the text is not JSON. RFC 8259, section 4, leaves open which of the values counts: the parsers
// of a proxy, of a client and of this program may each take another one.
func RepeatedName(text []byte) string {
	loose := jsontext.AllowInvalidUTF8(true) // as encoding/json, which reads it afterwards
	if jsontext.Value(text).IsValid(loose) {
		return ""
	}
	_, err := jsontext.NewDecoder(bytes.NewReader(text), loose).ReadValue()
	var at *jsontext.SyntacticError
	if !errors.As(err, &at) || !errors.Is(at.Err, jsontext.ErrDuplicateName) {
		return ""
	}
	steps := slices.Collect(at.JSONPointer.Tokens())
	for i, s := range steps {
		steps[i] = tocsin.Clip(s, 60)
	}
	return tocsin.Clip(fieldPath("", steps), 120)
}

// repeated returns the fault of a body that has a name twice, nil if it has none.
func repeated(body []byte) *tocsin.Fault {
	if name := RepeatedName(body); name != "" {
		return &tocsin.Fault{Field: name, Reason: "it is given more than once", Fix: "send it once"}
	}
	return nil
}
