package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"tocsin"
)

// syntaxFault says where a body stops being JSON, and what to do about the mistakes that people make most often.
func syntaxFault(body []byte) tocsin.Fault {
	fault := tocsin.Fault{Field: "body", Reason: "it is empty", Fix: "send one JSON object"}
	var at *json.SyntaxError
	if len(bytes.TrimSpace(body)) == 0 || !errors.As(json.Unmarshal(body, &json.RawMessage{}), &at) {
		return fault
	}
	before := body[:max(at.Offset-1, 0)] // the offset counts the wrong byte
	wrong, _ := utf8.DecodeRune(body[len(before):])
	fault.Reason = fmt.Sprintf("%q cannot be there: character %d", string(wrong), utf8.RuneCount(before)+1)
	last := bytes.TrimSpace(before)
	switch {
	case at.Error() == "unexpected end of JSON input":
		fault.Reason, fault.Fix = "it ends too early", `close what is open, with ", ] and }`
	case wrong == '\'':
		fault.Fix = `write names and texts in double quotes (")`
	case (wrong == '}' || wrong == ']') && bytes.HasSuffix(last, []byte{','}):
		fault.Fix = "remove the comma before it"
	case json.Valid(last):
		fault.Reason = "more follows behind its end: character " + fmt.Sprint(utf8.RuneCount(before)+1)
	}
	return fault
}
