//go:build !linux && !darwin

package store

// freeDisk is not known on other systems.
func freeDisk(string) (bytes int64, known bool) { return 0, false }
