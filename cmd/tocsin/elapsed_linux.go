package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// elapsed returns the time since the machine was started, suspension included (clock_gettime(2), CLOCK_BOOTTIME).
// Nobody can set this clock, so that a jump of the other one shows.
func elapsed() func() time.Duration {
	read := func() (time.Duration, error) {
		var t unix.Timespec
		err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t)
		return time.Duration(t.Nano()), err
	}
	if _, err := read(); err != nil {
		return nil
	}
	return func() time.Duration { t, _ := read(); return t }
}
