package tocsin

import (
	"encoding/json"
	"testing"
	"time"
)

func TestATimeIsUTCWhateverItWasMadeFrom(t *testing.T) {
	east := time.FixedZone("east", 5*3600)
	at := time.Date(2026, 1, 31, 23, 59, 59, 123_456_999, east)
	const want = "2026-01-31T18:59:59.123456Z"
	for _, got := range []Time{TimeOf(at), MicroTime(at.UnixMicro()), MicroTime(TimeOf(at).Micro())} {
		if got.String() != want || got.Std().Location() != time.UTC || got != TimeOf(at) {
			t.Errorf("%v", got)
		}
	}
	text, err := json.Marshal(TimeOf(at))
	var back Time
	if err != nil || string(text) != `"`+want+`"` || json.Unmarshal(text, &back) != nil || back != TimeOf(at) {
		t.Errorf("%s, %v", text, back)
	}
	if json.Unmarshal([]byte(`"yesterday"`), &back) == nil {
		t.Error("yesterday is taken for a time")
	}
}

func TestTheYearsOfATime(t *testing.T) {
	for text, accepted := range map[string]bool{
		"1970-01-01T00:00:00Z": true, "9999-12-31T23:59:59Z": true, "1969-12-31T23:59:59.999999Z": false,
		"9999-12-31T23:59:59-01:00": false, "1970-01-01T00:30:00+01:00": false, "0001-01-01T00:00:00Z": false,
	} {
		if got, err := ParseTime(text); (err == nil) != accepted {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

func TestTheDayOfAnIncidentStaysADate(t *testing.T) {
	for text, want := range map[string]struct{ at, canonical string }{
		"2026-01-31":                {"2026-01-31T00:00:00.000000Z", "2026-01-31"},
		"2026-01-31T01:00:00+02:00": {"2026-01-30T23:00:00.000000Z", "2026-01-30T23:00:00.000000Z"},
		"1970-01-01":                {"1970-01-01T00:00:00.000000Z", "1970-01-01"},
	} {
		if at, canonical, err := ParseDay(text); err != nil || at.String() != want.at || canonical != want.canonical {
			t.Errorf("%s: %v, %s, %v", text, at, canonical, err)
		}
	}
	for _, text := range []string{"1969-12-31", "31.12.2025", "2026-1-1", ""} {
		if at, _, err := ParseDay(text); err == nil {
			t.Errorf("%s is taken for %v", text, at)
		}
	}
}
