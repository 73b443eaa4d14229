package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tocsin/internal/tocsintest"
)

// madeUp is a word of four syllables, another one for each number below 2,744. Neighbours are not alike.
func madeUp(i int) string {
	i = i * 997 % 2744
	syllables := strings.Fields("ba co di fe gu ha lo mi no pe ra so tu vi")
	return syllables[i%14] + syllables[i/14%14] + syllables[i*5/3%14] + syllables[i/196%14]
}

// asList is a list in the form of that of Polkadot: so many airdrops, ten for each of the last days.
func asList(n int) map[string]string {
	var all struct {
		Allow []string `json:"allow"`
		Deny  []string `json:"deny"`
	}
	all.Allow = []string{}
	months := map[string][]map[string]string{}
	for i := range n {
		name, day := fmt.Sprintf("airdrop-%s.top", madeUp(i)), time.Now().UTC().AddDate(0, 0, -i/150)
		all.Deny = append(all.Deny, name)
		month := day.Format("2006-01")
		months[month] = append(months[month], map[string]string{"date": day.Format(time.DateOnly), "url": name})
	}
	text := func(value any) string {
		text, _ := json.Marshal(value)
		return string(text)
	}
	files := map[string]string{"all.json": text(all)}
	var index []string
	for month, added := range months {
		files[month+".json"], index = text(added), append(index, month)
	}
	files["index.json"] = text(index)
	return files
}

// names returns what the status says of the judgement of names.
func (s *server) names() (version, result, reason string) {
	body, _ := s.call("/status", "", nil).body["names"].(map[string]any)
	model, _ := body["model"].(map[string]any)
	last, _ := body["lastTraining"].(map[string]any)
	version, _ = model["version"].(string)
	result, _ = last["result"].(string)
	reason, _ = last["reason"].(string)
	return version, result, reason
}

// TestARefreshTrainsAModelThatIsServedAtOnce, and keeps the former if the lists make a worse one.
func TestARefreshTrainsAModelThatIsServedAtOnce(t *testing.T) {
	u := newMachine(t).upstream(asList(600))
	u.learns()
	key, day := u.newKey(), func(ago int) string { return time.Now().UTC().AddDate(0, 0, -ago).Format(time.DateOnly) }
	file := filepath.Join(u.dir, "tocsin.db.model")
	read := func() string {
		text, err := os.ReadFile(file)
		tocsintest.Must(t, err)
		return string(text)
	}
	u.must("train", "-cutoff", day(3))

	s := u.serve("-refresh", "6h", "-lists", "polkadot")
	former, unseen := "", "airdrop-"+madeUp(2500)+".top"
	judged := func() (level string, version string) {
		p, _ := s.screen(unseen, key).body["prediction"].(map[string]any)
		level, _ = p["level"].(string)
		version, _ = p["modelVersion"].(string)
		return level, version
	}
	u.soon("a model is in use", func() bool { former, _, _ = s.names(); return former != "" })
	u.soon("another one is in use", func() bool {
		version, result, _ := s.names()
		return result == "trained" && version != former && !strings.HasPrefix(version, day(3))
	})
	in, _, _ := s.names()
	level, by := judged()
	u.want("an answer of the new one, by the same process", []any{level, by}, []any{"elevated", in})
	_, page := s.page("/status")
	u.want("the page says what it learnt", strings.Contains(page, "a model that has learnt from the lists until "), true)
	u.want("its end", s.end(syscall.SIGTERM), exitOK)

	u.must("train", "-cutoff", day(2), "-force")
	good := read()
	var popular []string // sites that are called as fraud is, so that a limit that spares them spares fraud too
	for i := range 1800 {
		popular = append(popular, "airdrop-"+madeUp(600+i)+".top")
	}
	text, err := json.Marshal(map[string]any{"list": popular})
	tocsintest.Must(t, err)
	u.write("misp/lists/cloudflare-top100k/list.json", string(text))
	u.must("import", "misp-warninglists", "-force",
		"-from", "misp/lists/cloudflare-top100k/list.json")
	u.Set("detected_urls.txt", sites(3), nil)
	s = u.serve("-refresh", "6h", "-lists", "spmedia")
	u.soon("the new one is refused", func() bool {
		_, result, reason := s.names()
		return result == "refused" && reason == "worse"
	})
	version, _, _ := s.names()
	u.want("the file", []any{read() == good, strings.HasPrefix(version, day(2))}, []any{true, true})
	_, by = judged()
	u.want("the model in use", by, version)
	_, page = s.page("/status")
	u.want("the page says so", strings.Contains(page, "finds less than the one before, so it was refused."), true)
	s.says(&s.err, `level=WARN msg="no new model of names was trained; the one in use stays" error=".*the former is kept`)
	u.want("it serves", s.screen(unseen, key).status, http.StatusOK)
	u.want("its end", s.end(syscall.SIGTERM), exitOK)
}
