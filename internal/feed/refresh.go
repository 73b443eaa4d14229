package feed

import (
	"math/rand/v2"
	"time"
)

// Refreshed are the lists that `serve -refresh` reads unless others are chosen, in this order: those that are still
// maintained and may be used freely. Sanctions come first.
func Refreshed() []string {
	return []string{OFAC, "scamsniffer", "phantom", "eth-phishing-detect", "polkadot", "misp-warninglists",
		"uniswap-default-list"}
}

// minRetry is how long after its first failure a list is tried again.
const minRetry = 2 * time.Minute

// NextRefresh returns how long after a try a list is tried again that is refreshed every so often: about that long
// after a success; after failures sooner, but each time twice as long after the last one. A tenth more or less is left
// to chance, so that not all services ask at once.
func NextRefresh(every time.Duration, failures int, random *rand.Rand) time.Duration {
	wait := every
	if failures > 0 {
		wait = min(every, minRetry<<min(failures-1, 20))
	}
	return wait + time.Duration((random.Float64()*2-1)*float64(wait)/10)
}
