package main

import (
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// TestHowLongAgoAListWasRead is said in minutes from an hour on, and in days from two days on.
func TestHowLongAgoAListWasRead(t *testing.T) {
	st := store.Stats{AsOf: tocsin.TimeOf(tocsintest.Noon)}
	for d, said := range map[time.Duration]string{
		-time.Second: "0s ago", 50 * time.Second: "50s ago", 107*time.Minute + 20*time.Second: "1h47m ago",
		2 * time.Hour: "2h0m ago", 49 * time.Hour: "2 days ago",
	} {
		tocsintest.Want(t, d.String(), since(st, tocsintest.Noon.Add(-d)), said)
	}
}

// TestTheLossOfAListIsSaidWithALaterFailure, which does not bring back what the list lacks.
func TestTheLossOfAListIsSaidWithALaterFailure(t *testing.T) {
	st := store.Stats{AsOf: tocsin.TimeOf(tocsintest.Noon)}
	try := store.ImportTry{At: st.AsOf, Reason: store.FailedRead, Failures: 2}
	tocsintest.Want(t, "it lacks nothing", tried(st, try), "failed 0s ago (read), 2 times in a row")
	try.Entries, try.Peak = 720, 1000
	tocsintest.Want(t, "it lacks some", tried(st, try), "failed 0s ago (read), 2 times in a row; lacks 28 %")
}
