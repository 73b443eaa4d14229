package discovery

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"tocsin"
	"tocsin/internal/store"
)

func TestAGuideSaysOfEachOperationWhatItTakes(t *testing.T) {
	s := start(t, everything)
	s.has(
		"llms.txt",
		s.get("/llms.txt").text,
		"- [Screen up to 50 EVM addresses in one call]("+s.base+"/docs/check-addresses): `POST /api/v1/check`, "+
			"$0.40, or one free call of a key. Body: `addresses`, `history`. Such as `{\"addresses\": "+
			"[\"0x098B716B8Aaf21512996dC57EB0615e2383E2f96\", \"0xd8da6bf26964af9d7eed9e03e53415d37aa96045\"]}`. "+
			"Answers `count`, `results`. Tool: `check_addresses`.\n",
		"- [Leaderboard]("+s.base+"/docs/leaderboard): `GET /api/v1/leaderboard`, free. "+
			"Query: `limit`. Answers `count`, `agents`.\n",
	)
	contract := s.get("/openapi.json").text
	s.has("openapi.json", contract, "`/api/v1/auth/verify`")
	s.lacks("openapi.json", contract, "`/auth/verify`", `"note"`, `"BriefReports"`)
}

func TestDigestsAreOfTheBytesServed(t *testing.T) {
	for _, o := range []options{everything, {}} {
		s := start(t, o)
		index := s.json("/.well-known/agent-skills/index.json")
		s.same("$schema", index.at("$schema"), "https://schemas.agentskills.io/discovery/0.2.0/schema.json")
		s.same("skills", len(index.at("skills").items()), 3)
		for _, i := range index.at("skills").items() {
			skill := value{i}
			text := s.get(skill.at("url").text()).text
			sum := sha256.Sum256(text)
			s.same("digest", skill.at("digest"), "sha256:"+hex.EncodeToString(sum[:]))
			s.same("type", skill.at("type"), "skill-md")
			name, about := skill.at("name").text(), skill.at("description").text()
			if !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(name) ||
				!strings.HasSuffix(skill.at("url").text(), "/"+name+"/SKILL.md") || len(about) < 100 || len(about) > 1024 {
				t.Errorf("%s: %s", name, about)
			}
			if lines := bytes.Count(text, []byte("\n")); lines > 500 || len(text) > 20_000 {
				t.Errorf("%s has %d lines, %d bytes", name, lines, len(text))
			}
			s.lacks(name, text, "{{", "<no value>")
			var head struct {
				Name, Description, License, Compatibility string
				Metadata                                  map[string]string
			}
			must(t, yaml.Unmarshal(bytes.SplitN(text, []byte("---\n"), 3)[1], &head))
			if head.Name != name || head.Description != about || len(head.Compatibility) > 500 ||
				head.Metadata["service"] != s.base {
				t.Errorf("%s: %+v", name, head)
			}
		}
	}
}

// llmstxt.org: a title, a summary, anything but headings, and then sections of links.
func TestTheGuideHasTheFormOfLLMSTxt(t *testing.T) {
	for _, o := range []options{everything, {}} {
		s := start(t, o)
		lines := strings.Split(string(s.get("/llms.txt").text), "\n")
		if lines[0] != "# Tocsin" || !strings.HasPrefix(lines[2], "> ") {
			t.Errorf("it begins with %q", lines[:3])
		}
		section := ""
		for _, line := range lines[1:] {
			switch {
			case strings.HasPrefix(line, "## "):
				section = line
			case strings.HasPrefix(line, "#"),
				section != "" && line != "" && !regexp.MustCompile(`^- \[[^\]]+\]\(https?://\S+\): .+$`).MatchString(line):
				t.Errorf("%s: %q", section, line)
			}
		}
		s.has("llms.txt", []byte(strings.Join(lines, "\n")), "- 402 `payment_required`: ", "- 429 `too_many_filings`: ")
	}
}

// Whatever state the filing of reports is in, there is a guide, and each state has another one.
func TestEachStateOfFilingHasItsGuide(t *testing.T) {
	s, seen := start(t, options{}), map[string]tocsin.FilingState{}
	for _, state := range []tocsin.FilingState{tocsin.FilingOpen, tocsin.FilingKeysOnly, tocsin.FilingShut} {
		_, err := s.db.SetFiling(t.Context(), store.Operator{}, state)
		must(t, err)
		s.Sleep(time.Minute) // the numbers that say it are kept for a while
		guide := string(s.get("/llms.txt").text)
		if other, same := seen[guide]; same || !strings.HasPrefix(guide, "# Tocsin\n") {
			t.Errorf("%s: the guide begins with %.40q, and is that of %q", state, guide, other)
		}
		seen[guide] = state
	}
}

// What a skill tells its reader to send works as it stands there.
func TestTheCallsOfSkillsWork(t *testing.T) {
	s := start(t, everything)
	text := s.get("/.well-known/agent-skills/file-a-report/SKILL.md").text
	body := regexp.MustCompile(`(?s)-d '(\{.*?\})'`).FindSubmatch(text)
	a := s.call(http.MethodPost, s.api+"/community-reports", string(body[1]))
	if a.status != http.StatusCreated {
		t.Fatalf("%d %s", a.status, a.text)
	}
	filed := decode(t, a.text)
	gone := s.call(http.MethodDelete, s.api+"/community-reports/"+filed.at("id").text(), "",
		"x-manage-token: "+filed.at("manageToken").text())
	s.same("withdrawn", gone.status, 200)

	for _, name := range []string{"screen-before-you-pay", "check-a-link"} {
		text := s.get("/.well-known/agent-skills/" + name + "/SKILL.md").text
		calls := regexp.MustCompile(`(?s)(http\S+` + s.api + `/\S+)(?: \\\n  -d '(\{.*?\})')?\n`)
		for _, call := range calls.FindAllSubmatch(text, -1) {
			if bytes.Contains(call[1], []byte("/auth/")) {
				continue
			}
			method := http.MethodGet
			if len(call[2]) > 0 {
				method = http.MethodPost
				must(t, json.Unmarshal(call[2], new(any)))
			}
			s.same(string(call[1]), s.call(method, string(call[1]), string(call[2])).status, http.StatusPaymentRequired)
		}
	}
}

// TestWhichPagesMayCallDependsOnWhereTheServiceIs: a service of one machine takes no change from pages of others.
func TestWhichPagesMayCallDependsOnWhereTheServiceIs(t *testing.T) {
	const any, local = "may read the documents and call the operations (CORS).", "POST and DELETE are taken only from"
	for base, says := range map[string]string{"": any, "http://127.0.0.1:8402": local, "http://localhost": local} {
		s := start(t, options{base: base})
		s.has("llms.txt", s.get("/llms.txt").text, says)
		s.has("the manual", s.get("/docs").text, map[string]string{any: "may call the API", local: "localhost:3000"}[says])
	}
}
