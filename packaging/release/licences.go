package main

import (
	"bytes"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// licence is what a module of others asks of those who pass it on.
type licence struct {
	module, version string
	ids             []string // of SPDX, each once
	texts           []entry  // the files of the module, as they are
}

// licenceFile matches the names of files with the terms of a module, and with notices that go with it.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|unlicense)([.-].*)?$`)

// licencesOf returns the licences of the modules that are linked into a program, and of Go itself, by name. A module
// without a text, or with one that is not known, is an error: somebody has to read it first.
func licencesOf(info *buildinfo.BuildInfo) (all []licence, err error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	goes, err := licenceIn(strings.TrimSpace(string(root)), "Go", strings.TrimPrefix(info.GoVersion, "go"))
	if err != nil {
		return nil, err
	}
	all = append(all, goes)
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", m.Path).Output()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Path, err)
		}
		l, err := licenceIn(strings.TrimSpace(string(dir)), m.Path, m.Version)
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b licence) int { return strings.Compare(a.module, b.module) })
	return all, nil
}

// licenceIn returns the licence of the module in a directory. A module in the folder of another repository may have
// its text further up only; the module cache does not have that, so each has its own.
func licenceIn(dir, module, version string) (l licence, err error) {
	l = licence{module: module, version: version}
	files, err := os.ReadDir(dir)
	if err != nil {
		return l, fmt.Errorf("%s: %w", module, err)
	}
	for _, f := range files {
		if f.IsDir() || !licenceFile.MatchString(f.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return l, err
		}
		l.texts = append(l.texts, entry{name: f.Name(), text: text})
		if id := identify(text); id != "" && !slices.Contains(l.ids, id) {
			l.ids = append(l.ids, id)
		}
	}
	if len(l.ids) == 0 {
		err = errors.New(module + " has no licence that is known here: read it, and name it in identify")
	}
	return l, err
}

// identify returns the SPDX id of a licence by words that only it has, "" for a text that is none of them.
func identify(text []byte) string {
	words := string(bytes.ToLower(bytes.Join(bytes.Fields(text), []byte(" "))))
	has := func(part string) bool { return strings.Contains(words, part) }
	switch {
	case strings.HasPrefix(words, "mozilla public license version 2.0"): // which names the GNU licences, too
		return "MPL-2.0"
	case has("general public license"), has("business source license"):
		return ""
	case has("apache license version 2.0"):
		return "Apache-2.0"
	case has("permission is hereby granted, free of charge, to any person obtaining a copy"):
		return "MIT"
	case has("permission to use, copy, modify, and distribute this software for any purpose"),
		has("permission to use, copy, modify, and/or distribute this software for any purpose"):
		return "ISC"
	case has("redistribution and use in source and binary forms") &&
		(has("neither the name") || has("may not be used to endorse")):
		return "BSD-3-Clause"
	case has("redistribution and use in source and binary forms"):
		return "BSD-2-Clause"
	}
	return ""
}

// together returns one text with all licences, and the one of the font of the site.
func together(all []licence, font []byte) []byte {
	var out bytes.Buffer
	out.WriteString("Tocsin itself is under the Apache License 2.0 (LICENSE). Linked into the program, unchanged, from\n" +
		"the source at these names and versions:\n\n")
	for _, l := range all {
		fmt.Fprintf(&out, "  %s %s (%s)\n", l.module, l.version, strings.Join(l.ids, ", "))
	}
	all = append(slices.Clone(all), licence{module: "The font of the site's titles", version: "Besley",
		texts: []entry{{name: "OFL", text: font}}})
	for _, l := range all {
		for _, t := range l.texts {
			line := strings.Repeat("=", 80)
			fmt.Fprintf(&out, "\n%s\n%s, %s: %s\n%s\n\n%s\n",
				line, l.module, l.version, t.name, line, bytes.TrimSpace(t.text))
		}
	}
	return out.Bytes()
}
