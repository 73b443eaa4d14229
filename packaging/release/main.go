// Command release builds the archives of a release: a static program for each platform with its documents, the bill of
// materials of each, the licences of all that is linked into them, and the checksums of these files. The same commit
// gives the same bytes, wherever it is built.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// platforms are those that a release is built for.
var platforms = []string{
	"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64",
}

func main() {
	log.SetFlags(0)
	out := flag.String("out", "dist", "the `DIRECTORY` of the release, which must not exist")
	only := flag.String("only", strings.Join(platforms, ","), "the `PLATFORMS` to build for")
	flag.Parse()
	// A release says which commit it is of, so it is built from one.
	if err := release(*out, strings.Split(*only, ","), "-buildvcs=true"); err != nil {
		log.Fatal("release: ", err)
	}
}

// release makes the files of a release in a new directory. Flags are more of those of go build.
func release(out string, platforms []string, flags ...string) error {
	if err := os.Mkdir(out, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	host := filepath.Join(work, "host")
	if err := build(host, runtime.GOOS, runtime.GOARCH, flags...); err != nil {
		return err
	}
	about, err := exec.Command(host, "version").Output()
	if err != nil {
		return err
	}
	version := regexp.MustCompile(`^tocsin (\S+) `).FindStringSubmatch(string(about))
	if version == nil {
		return fmt.Errorf("the program says %q", about)
	}
	documents, err := documents(host)
	if err != nil {
		return err
	}
	for _, platform := range platforms {
		goos, goarch, _ := strings.Cut(platform, "/")
		name := "tocsin_" + version[1] + "_" + goos + "_" + goarch
		log.Print(name)
		path := filepath.Join(work, name)
		if platform == runtime.GOOS+"/"+runtime.GOARCH {
			path = host
		} else if err := build(path, goos, goarch, flags...); err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
		if err := one(out, path, name, goos, documents); err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
	}
	return sums(out)
}

// one makes the archive and the bill of materials of a program.
func one(out, path, name, goos string, documents []entry) error {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return err
	}
	licences, err := licencesOf(info)
	if err != nil {
		return err
	}
	program, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	bill, err := billOf(info, program, licences)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, name+".cdx.json"), bill, 0o644); err != nil {
		return err
	}
	font, err := os.ReadFile("internal/web/assets/title.txt")
	if err != nil {
		return err
	}
	called := "tocsin"
	if goos == "windows" {
		called += ".exe"
	}
	entries := append([]entry{
		{called, program, 0o755},
		{"THIRD-PARTY-LICENSES.txt", together(licences, font), 0o644},
	}, documents...)
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	if goos == "windows" {
		return zipped(filepath.Join(out, name+".zip"), name, entries, builtOn(info))
	}
	return tarred(filepath.Join(out, name+".tar.gz"), name, entries, builtOn(info))
}

// build builds the program for a platform. Nothing of this machine is in it: no path, no setting of
// the environment.
func build(path, goos, goarch string, flags ...string) error {
	args := append([]string{"build", "-trimpath", "-ldflags=-s -w -buildid=", "-o", path}, flags...)
	c := exec.Command("go", append(args, "./cmd/tocsin")...)
	c.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch,
		"CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0")
	c.Stderr = os.Stderr
	return c.Run()
}

// builtOn is the time of the commit that a program was built from, or the beginning of 2026 if it was built from files
// of no commit.
func builtOn(info *buildinfo.BuildInfo) time.Time {
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			if at, err := time.Parse(time.RFC3339, s.Value); err == nil {
				return at.UTC()
			}
		}
	}
	return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
}

// documents are what an archive has beside the program.
func documents(program string) (all []entry, err error) {
	for name, args := range map[string][]string{
		"tocsin.1": {"man"}, "completion/tocsin.bash": {"completion", "bash"},
		"completion/tocsin.fish": {"completion", "fish"}, "completion/_tocsin": {"completion", "zsh"},
	} {
		text, err := exec.Command(program, args...).Output()
		if err != nil {
			return nil, err
		}
		all = append(all, entry{name, text, 0o644})
	}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md", "docs/operate.md"} {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		all = append(all, entry{name, text, 0o644})
	}
	for _, pattern := range []string{"packaging/README.md", "packaging/systemd/*", "packaging/proxy/*",
		"packaging/monitoring/*"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			all = append(all, entry{filepath.ToSlash(name), text, 0o644})
		}
	}
	return all, nil
}

// sums writes the checksums of all files of a release, as sha256sum -c reads them.
func sums(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, f := range files { // by name
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%x  %s\n", sha256.Sum256(text), f.Name())
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(lines.String()), 0o644)
}
