package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxSetting bounds the file of a setting, in bytes.
const maxSetting = 64 << 10

// setting returns a setting of the environment, "" if it is not set, and the name of what sets it. It is the variable
// itself, or the content of the file that NAME_FILE names (for secrets, which a variable shows to whoever may read the
// environment of the process), or the credential NAME that systemd passes (systemd.exec(5), LoadCredential=), in this
// order. The end of the last line is no part of a file. No error has the content of a file.
func setting(lookup func(string) (string, bool), name string) (value, by string, err error) {
	value, _ = lookup(name)
	if path, _ := lookup(name + "_FILE"); path != "" {
		if value != "" {
			return "", name, usage("the environment has both %s and %s_FILE: keep one of them", name, name)
		}
		if value, err = readSetting(path); err != nil {
			err = usage("%s_FILE: %w", name, err)
		}
		return value, name + "_FILE", err
	}
	if dir, _ := lookup("CREDENTIALS_DIRECTORY"); value == "" && dir != "" {
		value, err = readSetting(filepath.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) {
			return "", "", nil
		}
		if err != nil {
			err = usage("the credential %s: %w", name, err)
		}
		return value, "the credential " + name, err
	}
	return value, name, nil
}

// unknownVariables returns the variables of the environment that begin with TOCSIN_ and mean nothing to any command:
// most are mistyped. Kubernetes sets some for a service of that name.
func unknownVariables(environ func() []string) (names []string) {
	if environ == nil {
		return nil
	}
	known := map[string]bool{}
	for _, c := range commands() {
		line := newCommandLine(&c)
		c.setUp(line)
		line.VisitAll(func(f *flag.Flag) { known[line.variable(f.Name)] = true })
	}
	for _, variable := range environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "TOCSIN_") && !known[strings.TrimSuffix(name, "_FILE")] && !known[name] &&
			!strings.HasPrefix(name, "TOCSIN_SERVICE_") && !strings.HasPrefix(name, "TOCSIN_PORT") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// readSetting returns what a file says, without the end of its last line.
func readSetting(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxSetting+1))
	if err != nil {
		return "", err
	}
	long := len(text) > maxSetting
	text = bytes.TrimRight(text, "\r\n")
	switch {
	case long:
		return "", fmt.Errorf("%s has more than %d bytes", path, maxSetting)
	case len(text) == 0:
		return "", fmt.Errorf("%s is empty", path)
	case bytes.IndexByte(text, 0) >= 0:
		return "", fmt.Errorf("%s is no text", path)
	}
	return string(text), nil
}
