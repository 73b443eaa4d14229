package health

import (
	"fmt"
	"slices"
	"strings"
)

// Damaged is what the operator does about a damaged database.
const Damaged = "Stop the server and its socket, move the database file, -wal and -shm away, look for the newest " +
	"sound copy with `tocsin check`, and restore it"

const makeRoom = "Make room on the disk of the database: delete old copies first, then old logs with " +
	"`journalctl --vacuum-size=500M`"

// words is what each failure means, and what the operator does about it. A %d is how often it happened.
var words = map[key][2]string{
	{Database, Missing}: {"The database file was moved or deleted",
		"Move the same file back, or stop the server and restore a copy"},
	{Database, Replaced}: {"Another file has taken the place of the database file",
		"Move the same file back, or restart the server to use the other one"},
	{Database, Overwritten}: {"The database file was overwritten",
		"Stop the server, delete the files that end with -wal and -shm, and restore a copy"},
	{Database, Corrupt}: {"Reads failed (%d): the database is damaged", Damaged},
	{Database, LogMissing}: {"The write-ahead log of the database (-wal) was moved or deleted",
		"Restart the server; when it stops, it moves what the log held into the database file"},
	{Database, LogReplaced}: {"Another file has taken the place of the write-ahead log of the database (-wal)",
		"Restart the server; when it stops, it moves what the log held into the database file"},
	{Database, OutOfReach}: {"The directory of the database cannot be read",
		"Look at the permissions and the disk"},
	{Events, Unread}: {"The changes in the database cannot be read",
		"Look at the database, its disk or its server, and at what else uses it"},
	{Events, Stale}: {"Changed records could not be read into memory (%d); look-ups of them ask the database",
		"Look at the database, its disk or its server"},
	{Database, Unreachable}: {"The database server does not answer",
		"Look at the database server and the network to it; this server goes on by itself as soon as it answers"},
	{Database, Exchanged}: {"Another database has taken the place of the one that this server has opened",
		"Restart the server; if it is the wrong database, put the right one back first"},
	{Clock, Behind}: {"The clock of this machine is behind the newest record of the database",
		"Correct the clock; if it is right, correct the records with `tocsin clock mend`, or say -accept-clock"},
	{Clock, Ahead}: {"The clock of this machine is more than 180 days ahead of the last use of the database",
		"Correct the clock; if it is right, say -accept-clock once"},
	{Clock, JumpedAhead}: {"The clock of this machine was set ahead while the server ran",
		"Correct the clock; if it is right, restart the server"},
	{Clock, JumpedBack}: {"The clock of this machine was set back while the server ran",
		"Correct the clock; if it is right, restart the server"},
	{Mode, Halted}: {"The operator has made this service read-only for a while",
		"Say `tocsin read-only off`, or start the server without -read-only"},
	{Disk, Low}:       {"Less than 256 MB are free for the database", makeRoom},
	{Writes, Refused}: {"Writes were refused (%d)", "See what else does not work: that is why"},
	{Writes, Full}:    {"Writes failed (%d): the disk is full", makeRoom},
	{Writes, Busy}: {"Writes failed (%d): another process held the database for too long",
		"See which import or other command runs beside the server, and wait for its end"},
	{Writes, IO}:       {"Writes failed (%d): the disk does not work", "Look at the disk of the database"},
	{Writes, ReadOnly}: {"Writes failed (%d): the database may not be written", "Look at the permissions"},
	{Writes, Corrupt}:  {"Writes failed (%d): the database is damaged", Damaged},
	{Writes, Lost}:     {"Writes failed (%d): the database server did not answer", "Look at the database server"},
	{Writes, Other}:    {"Writes failed (%d)", "See the log"},
	{Log, Dropped}: {"Lines of the log were dropped (%d), because they could not be written",
		"Look at what reads the log"},
	{Facilitator, Unreachable}: {"The facilitator, which carries out payments, did not answer",
		"Free calls go on, and payments as soon as it answers. See what its operator says, and the " +
			"network to it; -facilitator names another one"},
	{Load, Connections}: {"Connections were closed (%d), because there were too many", ""},
	{Load, Bodies}:      {"Requests were refused (%d), because too many bodies were in progress", ""},
	{Load, Overload}:    {"Requests were refused (%d), because there were too many to be answered at once", ""},
	{Load, Rate}:        {"Requests were refused (%d), because one network sent too many", ""},
}

// String says what failed, in a sentence without a full stop.
func (t Trouble) String() string {
	text, args := t.Format()
	return fmt.Sprintf(text, args...)
}

// Format returns what String says as a format of package fmt, which is one of [Formats], and its arguments.
func (t Trouble) Format() (text string, args []any) {
	text = words[key{t.Part, t.Reason}][0]
	switch {
	case text == "":
		return "%s: %s", []any{t.Part, t.Reason}
	case strings.Contains(text, "%d"):
		args = []any{t.Count}
	}
	return text, args
}

// Formats returns the formats of what can fail, sorted, so that they can be translated.
func Formats() []string {
	texts := []string{"%s: %s"}
	for _, said := range words {
		texts = append(texts, said[0])
	}
	slices.Sort(texts)
	return texts
}

// Remedy says what the operator does about it, in a sentence without a full stop; "" if there is nothing to do.
func (t Trouble) Remedy() string { return words[key{t.Part, t.Reason}][1] }
