// Package bench measures the speed and size of the built program from outside:
// `make bench`. Its results are ratios within one run, because other work on the
// machine changes absolute numbers.
//
// Each subject is measured in several rounds. A round measures everything that is
// compared, so that a slow moment of the machine affects both sides. The table at
// the end has the median of the rounds and, in brackets, the minimum and maximum.
// A missed target does not fail the run.
//
//	TOCSIN_BENCH_DIR      the working directory; it keeps the generated reports for the next run
//	TOCSIN_SHARED         the folder with the public lists in data/feeds; without it, imports are skipped
//	TOCSIN_TEST_POSTGRES  the URL of a database on a PostgreSQL server of this machine; without it, replicas are skipped
//
// Paid calls are compared with interop/reference.mjs, which needs node and `npm ci`
// in interop; without them, the comparison is skipped. It needs Linux for /proc.
package bench
