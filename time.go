package tocsin

import (
	"fmt"
	"strings"
	"time"
)

// Time is a time in UTC with microseconds, the precision that both SQLite and PostgreSQL keep. In JSON it is RFC
// 3339 with six fractional digits.
type Time struct{ t time.Time }

const timeLayout = "2006-01-02T15:04:05.000000Z"

// TimeOf returns t in UTC, truncated to the microsecond.
func TimeOf(t time.Time) Time { return Time{t.UTC().Truncate(time.Microsecond)} }

// MicroTime returns the time n microseconds after 1970-01-01 UTC.
func MicroTime(n int64) Time { return Time{time.UnixMicro(n).UTC()} }

// Micro returns the microseconds since 1970-01-01 UTC, the form in the database.
func (t Time) Micro() int64 { return t.t.UnixMicro() }

// Std returns t as a time of the standard library.
func (t Time) Std() time.Time { return t.t }

// String returns RFC 3339 with six fractional digits.
func (t Time) String() string { return t.t.Format(timeLayout) }

// MarshalText implements [encoding.TextMarshaler].
func (t Time) MarshalText() ([]byte, error) { return t.t.AppendFormat(nil, timeLayout), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]; it accepts what [ParseTime] accepts.
func (t *Time) UnmarshalText(text []byte) error {
	parsed, err := ParseTime(string(text))
	if err != nil {
		return err
	}
	*t = parsed
	return nil
}

// ParseTime parses a time of RFC 3339, such as 2026-01-31T23:59:59Z, in the years 1970 to 9999. It truncates digits
// beyond the microsecond.
func ParseTime(text string) (Time, *Error) {
	t, err := time.Parse(time.RFC3339Nano, strings.ToUpper(text))
	if err != nil || t.UTC().Year() < 1970 || t.UTC().Year() > 9999 {
		reason := fmt.Sprintf("%q is not an RFC 3339 time", Clip(text, 40))
		return Time{}, invalid(reason, "send a time such as 2026-01-31T23:59:59Z")
	}
	return TimeOf(t), nil
}

// ParseDay parses when an incident happened: a date (2026-01-31) or a time of RFC 3339. It returns the time, which
// for a date is midnight UTC, and the text in canonical form.
func ParseDay(text string) (Time, string, *Error) {
	if d, err := time.Parse(time.DateOnly, text); err == nil && d.Year() >= 1970 {
		return TimeOf(d), text, nil
	}
	t, err := ParseTime(text)
	if err != nil {
		return Time{}, "", invalid(fmt.Sprintf("%q is neither a date nor a time", Clip(text, 40)),
			"send a date such as 2026-01-31 or a time such as 2026-01-31T23:59:59Z")
	}
	return t, t.String(), nil
}
