package health_test

import (
	"fmt"
	"strings"
	"testing"

	"tocsin/internal/health"
	"tocsin/internal/tocsintest"
)

// TestEachFailureHasItsWords holds what the status page and the log say of each.
func TestEachFailureHasItsWords(t *testing.T) {
	var said strings.Builder
	for _, part := range []health.Part{
		health.Database, health.Events, health.Clock, health.Writes, health.Disk, health.Log, health.Load,
	} {
		for _, reason := range []health.Reason{health.Missing, health.Replaced, health.Overwritten, health.LogMissing,
			health.LogReplaced, health.OutOfReach, health.Unreachable, health.Exchanged, health.Unread, health.Stale,
			health.Behind, health.Ahead, health.JumpedAhead, health.JumpedBack, health.Refused, health.Full, health.Busy,
			health.Lost, health.IO, health.ReadOnly, health.Corrupt, health.Other, health.Low, health.Dropped,
			health.Connections, health.Bodies, health.Overload, health.Rate} {
			fault := health.Trouble{Part: part, Reason: reason, Count: 7}
			if without := fmt.Sprintf("%s: %s", part, reason); fault.String() != without || reason == health.Bodies {
				fmt.Fprintf(&said, "%s %s: %s. %s\n", part, reason, fault, fault.Remedy())
			}
		}
	}
	tocsintest.Golden(t, "testdata/words.txt", said.String())
}
