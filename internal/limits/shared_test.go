package limits

import (
	"testing"
	"time"
)

// TestOfTheLastQuarterEachNetworkHasASmallPart: of 40 events the first 30 are anybody's.
func TestOfTheLastQuarterEachNetworkHasASmallPart(t *testing.T) {
	c := newClock()
	s := NewShared(40, 2, time.Hour, c.now)
	if all, part := s.Limit(); all != 40 || part != 2 {
		t.Fatalf("%d, %d of them for a network", all, part)
	}
	var undo func()
	admitted := func(network int) (n int) {
		for {
			wait, u := s.Take(networkOf(network), 1)
			if (u == nil) != (wait > 0) {
				t.Fatalf("it waits %v, undo %t", wait, u != nil)
			}
			if u == nil {
				return n
			}
			undo = u
			n++
		}
	}
	for network, want := range []int{32, 2, 2, 2, 2, 0} {
		if n := admitted(network); n != want {
			t.Errorf("network %d: %d events", network, n)
		}
		c.advance(time.Minute)
	}
	for range 2 {
		admitted(5) // nothing: its part stays whole
	}
	undo() // of the network that was last
	for _, c := range []struct{ network, want int }{{3, 0}, {4, 1}} {
		if n := admitted(c.network); n != c.want {
			t.Errorf("network %d after an event was taken back: %d", c.network, n)
		}
	}
	undo()
	if n := admitted(5); n != 1 {
		t.Errorf("another network: %d", n)
	}
	if wait, u := s.Take(networkOf(6), 3); u != nil || wait != 54*time.Minute {
		t.Errorf("three events wait %v, until the first are over", wait)
	}
	c.advance(55 * time.Minute)
	if n := admitted(0); n < 30 {
		t.Errorf("an hour later: %d", n)
	}
}

// TestAFewHundredNetworksLeaveAReportToEveryOther: with the defaults of the program, 511 networks with any number of
// keys file as often as they may, small reports or the largest; the next ones can still file.
func TestAFewHundredNetworksLeaveAReportToEveryOther(t *testing.T) {
	const networks, small, largest = 511, 300, 48 << 10
	for _, size := range []int{small, 4 << 10, largest} {
		b := New(Config{Filings: 30, TotalFilings: 4800, TotalFiledBytes: 8 << 20}, newClock().now)
		file := func(network, size int) bool {
			at := networkOf(network)
			var taken []func()
			for _, take := range []func() (time.Duration, func()){
				func() (time.Duration, func()) { return b.KeyedFilings.Take(at) },
				func() (time.Duration, func()) { return b.FiledBytes.TakeMany(at, size) },
				func() (time.Duration, func()) { return b.TotalFilings.Take(at, 1) },
				func() (time.Duration, func()) { return b.TotalFiledBytes.Take(at, size) },
			} {
				_, undo := take()
				if undo == nil {
					for _, u := range taken {
						u()
					}
					return false
				}
				taken = append(taken, undo)
			}
			return true
		}
		filed := 0
		for network := range networks {
			for file(network, size) {
				filed++
			}
			for file(network, small) {
				filed++
			}
		}
		if file(0, small) {
			t.Errorf("%d bytes: the first network files for ever", size)
		}
		for network := range 2 {
			if !file(networks+network, 2<<10) {
				t.Errorf("%d bytes: after %d reports of %d networks, another cannot file", size, filed, networks)
			}
		}
	}
}
