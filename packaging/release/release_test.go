package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestEveryModuleHasALicenceThatIsKnown, of those that are linked into the program of any platform.
func TestEveryModuleHasALicenceThatIsKnown(t *testing.T) {
	t.Chdir("../..")
	modules := map[string]string{}
	for _, platform := range platforms {
		goos, goarch, _ := strings.Cut(platform, "/")
		list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}}{{end}}", "./cmd/tocsin")
		list.Env = append(os.Environ(), "GOFLAGS=", "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
		out, err := list.Output()
		must(t, err)
		for line := range strings.Lines(string(out)) {
			if path, version, found := strings.Cut(strings.TrimSpace(line), " "); found {
				modules[path] = version
			}
		}
	}
	info := &buildinfo.BuildInfo{GoVersion: runtime.Version()}
	for path, version := range modules {
		info.Deps = append(info.Deps, &debug.Module{Path: path, Version: version})
	}
	all, err := licencesOf(info)
	must(t, err)
	if len(all) < 40 || len(all) != len(modules)+1 {
		t.Errorf("%d licences of %d modules", len(all), len(modules))
	}
	text := together(all, []byte("font"))
	for path, version := range modules {
		if !bytes.Contains(text, []byte("\n"+path+", "+version+": ")) {
			t.Errorf("the text of %s is missing", path)
		}
	}
}

func TestALicenceThatSomebodyMustReadIsNotPassedOver(t *testing.T) {
	for text, id := range map[string]string{
		"Permission is hereby granted, free of charge, to any\nperson obtaining a copy": "MIT",
		"GNU GENERAL PUBLIC LICENSE Version 3":                                          "",
		"Mozilla Public License Version 2.0 … GNU General Public License":               "MPL-2.0",
		"Redistribution and use in source and binary forms, with":                       "BSD-2-Clause",
		"Redistribution and use in source and binary forms … Neither the name":          "BSD-3-Clause",
		"All rights reserved.": "",
	} {
		if got := identify([]byte(text)); got != id {
			t.Errorf("%s: %q", text, got)
		}
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, "LICENSE.txt"), []byte(text), 0o600))
		if _, err := licenceIn(dir, "m", "v1"); (err != nil) != (id == "") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := licenceIn(t.TempDir(), "m", "v1"); err == nil {
		t.Error("a module without a licence is taken")
	}
}

// TestARelease builds for one platform, and the program a second time from a copy elsewhere. Both are without the
// commit, which the copy has not.
func TestARelease(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the archive has another form")
	}
	t.Chdir("../..")
	dir := t.TempDir()
	out := filepath.Join(dir, "dist")
	must(t, release(out, []string{runtime.GOOS + "/" + runtime.GOARCH}, "-buildvcs=false"))
	if err := release(out, nil); !errors.Is(err, os.ErrExist) {
		t.Errorf("a directory that is there: %v", err)
	}
	lines, err := os.ReadFile(filepath.Join(out, "SHA256SUMS"))
	must(t, err)
	named := regexp.MustCompile(`(?m)^([0-9a-f]{64})  (tocsin_[0-9.]+_linux_\w+\.(?:cdx\.json|tar\.gz))$`)
	files := named.FindAllStringSubmatch(string(lines), -1)
	if len(files) != 2 || strings.Count(string(lines), "\n") != 2 {
		t.Fatalf("the checksums are %s", lines)
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(out, f[2]))
		must(t, err)
		if got := fmt.Sprintf("%x", sha256.Sum256(text)); got != f[1] {
			t.Errorf("%s is %s", f[2], got)
		}
	}
	program := unpack(t, filepath.Join(out, files[1][2]))
	bill, err := os.ReadFile(filepath.Join(out, files[0][2]))
	must(t, err)
	checkBill(t, bill, program)

	there := filepath.Join(dir, "elsewhere")
	list, err := exec.Command("sh", "-c", `git ls-files -z --cached --others --exclude-standard |
		tar --null -T - --ignore-failed-read -cf - | (mkdir "$0" && tar -C "$0" -xf -)`, there).CombinedOutput()
	if err != nil {
		t.Skipf("the files cannot be copied: %v %s", err, list)
	}
	t.Chdir(there)
	again := filepath.Join(dir, "again")
	must(t, build(again, runtime.GOOS, runtime.GOARCH, "-buildvcs=false"))
	text, err := os.ReadFile(again)
	must(t, err)
	if !bytes.Equal(text, program) {
		t.Error("two directories give two programs")
	}
}

// unpack checks what an archive has, and returns the program.
func unpack(t *testing.T, path string) []byte {
	t.Helper()
	file, err := os.Open(path)
	must(t, err)
	defer file.Close()
	packed, err := gzip.NewReader(file)
	must(t, err)
	has := map[string][]byte{}
	for archive := tar.NewReader(packed); ; {
		head, err := archive.Next()
		if err == io.EOF {
			break
		}
		must(t, err)
		_, name, _ := strings.Cut(head.Name, "/")
		has[name], err = io.ReadAll(archive)
		must(t, err)
		if head.Uid != 0 || head.Uname != "" || (head.Mode&0o111 != 0) != (name == "tocsin") {
			t.Errorf("%s: %+v", name, head)
		}
	}
	for _, name := range []string{"tocsin", "tocsin.1", "LICENSE", "THIRD-PARTY-LICENSES.txt", "completion/_tocsin",
		"packaging/systemd/tocsin.service", "docs/operate.md"} {
		if len(has[name]) < 500 {
			t.Errorf("%s has %d bytes", name, len(has[name]))
		}
	}
	if wd, err := os.Getwd(); err != nil || bytes.Contains(has["tocsin"], []byte(wd)) {
		t.Errorf("the program names the directory that it was built in: %v", err)
	}
	return has["tocsin"]
}

func checkBill(t *testing.T, text, program []byte) {
	t.Helper()
	var bill struct {
		Spec       string `json:"specVersion"`
		Components []component
		Metadata   struct{ Component component }
	}
	must(t, json.Unmarshal(text, &bill))
	info, err := buildinfo.Read(bytes.NewReader(program))
	must(t, err)
	sum := fmt.Sprintf("%x", sha256.Sum256(program))
	if bill.Metadata.Component.Hashes[0].Content != sum || len(bill.Components) != len(info.Deps)+1 {
		t.Errorf("the bill is of another program, or lacks some of its %d modules: %s", len(info.Deps), text)
	}
	for _, c := range bill.Components {
		if !strings.HasPrefix(c.Purl, "pkg:golang/") || len(c.Licenses) == 0 {
			t.Errorf("%+v", c)
		}
	}
}
