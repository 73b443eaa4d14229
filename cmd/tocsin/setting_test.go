package main

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tocsin/internal/tocsintest"
)

func TestASettingIsAVariableAFileOrACredential(t *testing.T) {
	m := newMachine(t)
	at := func(name string) string { return filepath.Join(m.dir, name) }
	m.write("a", "from a file")
	m.write("TOCSIN_C", "a credential", "of two lines")
	tocsintest.Must(t, os.WriteFile(at("nul"), []byte("a\x00b"), 0o600))
	m.write("empty", "")
	m.write("large", strings.Repeat("x", maxSetting), "y")
	for _, c := range []struct{ env, value, by, complaint string }{
		{"", "", "TOCSIN_C", ""},
		{"TOCSIN_C=x", "x", "TOCSIN_C", ""},
		{"TOCSIN_C_FILE=" + at("a"), "from a file", "TOCSIN_C_FILE", ""},
		{"CREDENTIALS_DIRECTORY=" + m.dir, "a credential\nof two lines", "the credential TOCSIN_C", ""},
		{"TOCSIN_C=x CREDENTIALS_DIRECTORY=" + m.dir, "x", "TOCSIN_C", ""},
		{"TOCSIN_C_FILE=" + at("a") + " CREDENTIALS_DIRECTORY=" + m.dir, "from a file", "TOCSIN_C_FILE", ""},
		{"CREDENTIALS_DIRECTORY=" + at("nowhere"), "", "", ""},
		{"TOCSIN_C=x TOCSIN_C_FILE=" + at("a"), "", "", "both TOCSIN_C and TOCSIN_C_FILE"},
		{"TOCSIN_C_FILE=" + at("nowhere"), "", "", "no such file"},
		{"TOCSIN_C_FILE=" + at("empty"), "", "", "is empty"},
		{"TOCSIN_C_FILE=" + at("nul"), "", "", "is no text"},
		{"TOCSIN_C_FILE=" + at("large"), "", "", "more than 65536 bytes"},
		{"TOCSIN_C_FILE=" + m.dir, "", "", "is a directory"},
	} {
		set := map[string]string{}
		for _, pair := range strings.Fields(c.env) {
			name, value, _ := strings.Cut(pair, "=")
			set[name] = value
		}
		value, by, err := setting(func(name string) (string, bool) { v, ok := set[name]; return v, ok }, "TOCSIN_C")
		if c.complaint != "" {
			if err == nil || !strings.Contains(err.Error(), c.complaint) || strings.Contains(value, "b") {
				t.Errorf("%s: %.40q, %v", c.env, value, err)
			}
			continue
		}
		tocsintest.Want(t, c.env, fmt.Sprint([]any{value, by, err}), fmt.Sprint([]any{c.value, c.by, nil}))
	}
	m.write("words", "of a secret")
	m.with("TOCSIN_QUOTA_FILE="+at("words")).fails(exitUsage, `^tocsin serve: TOCSIN_QUOTA_FILE does not have what `+
		`-quota takes\nTry`, "serve")
	m.with("TOCSIN_LIMIT=0", "TOCSIN_SINCE=yesterday").fails(exitUsage, `-limit 0 is less than one\n`+
		`Set in the environment: TOCSIN_LIMIT\nTry`, "log")
	m.with("TOCSIN_LIMIT=5").fails(exitUsage, `-limit 0 is less than one\nTry`, "log", "-limit", "0")
	m.fails(exitUsage, `^tocsin log: -since "yesterday" is .*\nTry`, "log", "-since", "yesterday")
}

// TestASecretFromAFileIsNowhereElse: not on the command line, in the environment, in the log or on the site.
func TestASecretFromAFileIsNowhereElse(t *testing.T) {
	m := newMachine(t)
	const secret = "kept-to-myself"
	m.write("node", "http://127.0.0.1:9/"+secret)
	m.write("TOCSIN_FACILITATOR", "http://127.0.0.1:9/"+secret)
	key := base64.StdEncoding.EncodeToString(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)))
	m.write("CDP_API_KEY_ID", secret)
	m.write("CDP_API_KEY_SECRET", key)
	tocsintest.Must(t, os.Mkdir(filepath.Join(m.dir, secret), 0o700))
	m.write("db", filepath.Join(secret, "tocsin.db"))
	m = m.with("TOCSIN_RPC_URL_FILE=node", "TOCSIN_DB_FILE=db", "CREDENTIALS_DIRECTORY="+m.dir)
	s := m.serveAnew("-pay-to", payTo)
	s.says(&s.err, "the node of -rpc-url does not respond")
	s.says(&s.err, `msg="payments are on" .*facilitator=http://127.0.0.1:9\n`)
	if _, err := os.Stat(filepath.Join(m.dir, secret, "tocsin.db")); err != nil {
		t.Errorf("the database is elsewhere: %v", err)
	}
	_, status := s.page("/status")
	for _, name := range []string{"cmdline", "environ"} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", s.Process.Pid, name))
		if err != nil {
			t.Skip("no /proc: ", err)
		}
		status += string(text)
	}
	s.end(syscall.SIGTERM)
	log := strings.ReplaceAll(s.err.String(), "database="+filepath.Join(secret, "tocsin.db"), "")
	if seen := s.out.String() + log + status; strings.Contains(seen, secret) || strings.Contains(seen, key) {
		t.Errorf("a secret is shown: %s", seen)
	}
}
