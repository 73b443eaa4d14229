// Package bench measures the speed and size of the built program from outside,
// as its callers meet it: `make bench`. What it says are ratios within one run,
// since the machine it runs on has other things to do.
//
// Every subject is measured in several rounds, each of which holds all that is
// compared, so that a slow moment of the machine falls on both sides. The table
// at the end gives the median of the rounds and, in brackets, the least and the
// most. A target that is missed fails nothing.
//
//	TOCSIN_BENCH_DIR  where to work, and where the 400,000 reports are kept for the next run
//	TOCSIN_SHARED     where data/feeds holds the public lists; without it the imports are left out
//
// Paid calls are compared with interop/reference.mjs, which needs node and
// `npm ci` in interop; without them that is left out.
//
// It needs Linux, for the counters of /proc.
package bench
