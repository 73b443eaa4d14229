package store

import (
	"errors"
	"testing"
	"time"
)

func TestAnAnswerIsKeptUntilItIsOldOrStale(t *testing.T) {
	var m memo[int]
	const keep = 10 * time.Second
	computed := 0
	var failure error
	for _, c := range []struct {
		about string
		at    time.Duration
		stale bool
		err   error
		want  int
	}{
		{"the first", 0, false, nil, 1},
		{"kept", keep - 1, false, nil, 1},
		{"old", keep, false, nil, 2},
		{"stale, but young", keep + staleAfter - 1, true, nil, 2},
		{"stale", keep + staleAfter, true, nil, 3},
		{"no longer stale", keep + 3*staleAfter, false, nil, 3},
		{"from the future", keep, false, nil, 4},
		{"failed", 3 * keep, false, errors.New("failed"), 5},
		{"tried again", 3 * keep, false, nil, 6},
		{"kept again", 3*keep + 1, false, nil, 6},
	} {
		if c.stale {
			m.stale.Store(true)
		}
		failure = c.err
		got, err := m.get(noon.Add(c.at), keep, func() (int, error) { computed++; return computed, failure })
		if err != c.err || err == nil && got != c.want {
			t.Errorf("%s: %d, %v, want %d", c.about, got, err, c.want)
		}
	}
	equal(t, "computed", computed, 6)
}

// TestWhileOneComputesTheOthersGetTheLastAnswer, or the first one if there was none.
func TestWhileOneComputesTheOthersGetTheLastAnswer(t *testing.T) {
	var m memo[int]
	begun, finish, answers := make(chan bool), make(chan bool), make(chan int)
	get := func(at time.Duration, value int) {
		got, err := m.get(noon.Add(at), time.Second, func() (int, error) {
			begun <- true
			<-finish
			return value, nil
		})
		do(t, err)
		answers <- got
	}
	go get(0, 1)
	<-begun
	go get(0, 2) // waits, and computes nothing
	finish <- true
	equal(t, "both", []int{<-answers, <-answers}, []int{1, 1})
	go get(time.Second, 3)
	<-begun
	go get(time.Second, 4)
	equal(t, "the last one", <-answers, 1)
	finish <- true
	equal(t, "the new one", <-answers, 3)
}
