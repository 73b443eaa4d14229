package tocsin

import "testing"

// TestAVersionIsNotOlderThanOneOfWhichOnlyAServerGaveTheDate, nor the other way round: such dates say less.
func TestAVersionIsNotOlderThanOneOfWhichOnlyAServerGaveTheDate(t *testing.T) {
	day, later := MicroTime(0), MicroTime(86_400_000_000)
	read, served := ListVersion{Date: &day}, ListVersion{Date: &later, Served: true}
	if read.IsOlder(served) || served.IsOlder(read) ||
		(ListVersion{Date: &day, Served: true}).IsOlder(ListVersion{Date: &later}) {
		t.Error("a date that a server gave counts")
	}
}
