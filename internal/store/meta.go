package store

import (
	"context"
	"strconv"

	"tocsin"
)

// The rows of table meta.
const (
	metaIdentity  = "identity"  // random, to notice that another database has taken the place of this one
	metaNetworks  = "networks"  // the secret of the numbers of networks
	metaFiling    = "filing"    // from whom reports are taken: a [tocsin.FilingState]
	metaClock     = "clock"     // when a server last noted the time
	metaMended    = "mended"    // when the dates were corrected last
	metaBackup    = "backup"    // when a backup ended well last
	metaForgotten = "forgotten" // the number of the last event that [Keep.History] has dealt with
	metaReadOnly  = "read-only" // there while the database is, for all processes
	metaTraining  = "training"  // how the model of names was trained last: a [Training]
	metaImport    = "import "   // and the name of a list: an [ImportTry]
	metaLease     = "lease "    // and the name of a list: who imports it, and until when
	// and the name of a list: what the servers of its files have said of them when it was imported last
	metaValidators = "validators "
	metaRecorded   = "recorded " // and the name of a list: since when what it says and drops is on record here
	metaRecordEnd  = "recorded!" // which is the character behind the space
	metaVersions   = "versions"  // how often what readListDates reads was changed
	metaVersion    = "version "  // and the name of a list: a [tocsin.ListVersion]
	metaVersionEnd = "version!"  // which is the character behind the space

	// These are left out of backups ([dialect.copyTo]).
	metaTokens = "tokens" // the secret from which manage tokens are derived
	metaSalt   = "salt "  // and the number of a day: the key of the hashes of networks on that day
)

// getMeta returns the value of a row; the error is that of a [missing] row if there is none.
func getMeta(ctx context.Context, s *conn, name string) (value []byte, err error) {
	err = s.row(ctx, "SELECT value FROM meta WHERE name = $1", []any{name}, &value)
	return value, err
}

// setMeta sets the value of a row.
func setMeta(ctx context.Context, s *conn, name string, value []byte) error {
	_, err := s.exec(ctx, `INSERT INTO meta (name, value) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
	return err
}

// keepMeta sets the value of a row that is not there yet, and returns that of the row.
func keepMeta(ctx context.Context, s *conn, name string, fresh []byte) ([]byte, error) {
	if _, err := s.exec(ctx, "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
		name, fresh); err != nil {
		return nil, err
	}
	return getMeta(ctx, s, name)
}

// getMetaNumber returns the number or the time (in microseconds since 1970) in a row; 0 if there is none.
func getMetaNumber(ctx context.Context, s *conn, name string) (int64, error) {
	value, err := getMeta(ctx, s, name)
	if missing(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(string(value), 10, 64)
}

// setMetaNumber sets the number in a row.
func setMetaNumber(ctx context.Context, s *conn, name string, n int64) error {
	return setMeta(ctx, s, name, strconv.AppendInt(nil, n, 10))
}

// setMetaTime sets the time in a row, in microseconds since 1970.
func setMetaTime(ctx context.Context, s *conn, name string, at tocsin.Time) error {
	return setMetaNumber(ctx, s, name, at.Micro())
}
