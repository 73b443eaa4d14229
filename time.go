package tocsin

import (
	"fmt"
	"strings"
	"time"
)

// Time is an instant in UTC to the microsecond, the precision that both
// databases keep. In JSON it is RFC 3339 with six fractional digits.
type Time struct{ t time.Time }

const timeLayout = "2006-01-02T15:04:05.000000Z"

// TimeOf returns t as Tocsin keeps it: in UTC, cut to the microsecond.
func TimeOf(t time.Time) Time { return Time{t.UTC().Truncate(time.Microsecond)} }

// MicroTime returns the instant that is n microseconds after 1970-01-01 UTC.
func MicroTime(n int64) Time { return Time{time.UnixMicro(n).UTC()} }

// Micro returns the microseconds since 1970-01-01 UTC: the form in the database.
func (t Time) Micro() int64 { return t.t.UnixMicro() }

// Std returns the time of the standard library.
func (t Time) Std() time.Time { return t.t }

// String returns RFC 3339 with six fractional digits.
func (t Time) String() string { return t.t.Format(timeLayout) }

// MarshalText implements [encoding.TextMarshaler].
func (t Time) MarshalText() ([]byte, error) { return t.t.AppendFormat(nil, timeLayout), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]; it takes what [ParseTime] takes.
func (t *Time) UnmarshalText(text []byte) error {
	parsed, err := ParseTime(string(text))
	if err != nil {
		return err
	}
	*t = parsed
	return nil
}

// ParseTime parses an instant of RFC 3339, such as 2026-01-31T23:59:59Z, in the
// years 1970 to 9999. Digits beyond the microsecond are cut off.
func ParseTime(text string) (Time, *Error) {
	t, err := time.Parse(time.RFC3339Nano, strings.ToUpper(text))
	if err != nil || t.UTC().Year() < 1970 || t.UTC().Year() > 9999 {
		return Time{}, invalid(fmt.Sprintf("%q is not an RFC 3339 time", Clip(text, 40)), "send a time such as 2026-01-31T23:59:59Z")
	}
	return TimeOf(t), nil
}

// ParseDay parses when an incident happened: a date (2026-01-31) or an instant
// of RFC 3339. It returns the instant (midnight UTC for a date) and the text
// in canonical form.
func ParseDay(text string) (Time, string, *Error) {
	if d, err := time.Parse(time.DateOnly, text); err == nil && d.Year() >= 1970 {
		return TimeOf(d), text, nil
	}
	t, err := ParseTime(text)
	if err != nil {
		return Time{}, "", invalid(fmt.Sprintf("%q is neither a date nor a time", Clip(text, 40)), "send a date such as 2026-01-31 or a time such as 2026-01-31T23:59:59Z")
	}
	return t, t.String(), nil
}
