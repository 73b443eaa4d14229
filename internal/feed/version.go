package feed

import (
	"encoding/json"
	"net/http"
	"time"

	"tocsin"
)

// setDate records a date that a file of the list gives as its own, or nil. Of several files the newest counts: that is
// when the list was changed last.
func (r *reader) setDate(date *tocsin.Time) { r.dated = newer(r.dated, date, r.now) }

// newer returns the newer one of two dates, of which each may be nil. One in the future is no date.
func newer(known, date *tocsin.Time, now time.Time) *tocsin.Time {
	if date == nil || date.Std().After(now) || known != nil && !date.Std().After(known.Std()) {
		return known
	}
	return date
}

// version returns which version of the list was read.
func (r *reader) version() tocsin.ListVersion {
	v := tocsin.ListVersion{Date: r.dated, Entries: r.entries, Refused: r.reasons, Untaken: r.untaken,
		Files: r.files}
	if v.Date == nil && r.served != nil {
		v.Date, v.Served = r.served, true
	}
	return v
}

// stamped is how soon before a response a file was changed that the server seems to have made for the response.
const stamped = time.Minute

// modified returns when a file was last changed, as its server says (Last-Modified, RFC 9110, section 8.8.2); nil if it
// does not, or names the moment of the response.
func modified(header http.Header) *tocsin.Time {
	at, err := http.ParseTime(header.Get("Last-Modified"))
	if err != nil || at.Year() < 2009 { // before the first chain
		return nil
	}
	if sent, err := http.ParseTime(header.Get("Date")); err == nil && sent.Sub(at) < stamped {
		return nil
	}
	t := tocsin.TimeOf(at)
	return &t
}

// asText returns a text or a number of JSON as a text; "" for anything else: a list is not refused for the date
// that it gives.
func asText(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	var number json.Number
	if json.Unmarshal(value, &number) == nil {
		return number.String()
	}
	return ""
}

// textIn returns a field of a JSON object as asText does; "" if there is none.
func textIn(object json.RawMessage, field string) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil {
		return ""
	}
	return asText(fields[field])
}
