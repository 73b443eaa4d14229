package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// component is one of a bill of materials in the form of CycloneDX 1.6.
type component struct {
	Type     string    `json:"type"`
	Ref      string    `json:"bom-ref"`
	Name     string    `json:"name"`
	Version  string    `json:"version"`
	Purl     string    `json:"purl,omitempty"`
	Hashes   []hash    `json:"hashes,omitempty"`
	Licenses []license `json:"licenses,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type license struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn,omitempty"`
}

// billOf returns the bill of materials of a program: the modules that are linked into it, as it says itself, and Go.
// All of them are dependencies of the program, since it does not say which of them needs which.
func billOf(info *buildinfo.BuildInfo, program []byte, licences []licence) ([]byte, error) {
	sum := sha256.Sum256(program)
	target := map[string]string{}
	for _, s := range info.Settings {
		target[s.Key] = s.Value
	}
	main := component{Type: "application", Name: "tocsin", Version: info.Main.Version,
		Hashes: []hash{{"SHA-256", fmt.Sprintf("%x", sum)}}, Licenses: licensed([]string{"Apache-2.0"})}
	main.Ref = "tocsin@" + main.Version + "-" + target["GOOS"] + "-" + target["GOARCH"]
	var parts []component
	linked := dependency{Ref: main.Ref}
	for _, l := range licences {
		c := component{Type: "library", Name: l.module, Version: l.version, Licenses: licensed(l.ids)}
		if l.module == "Go" {
			c.Name = "std"
		}
		c.Purl = "pkg:golang/" + c.Name + "@" + url.PathEscape(c.Version)
		c.Ref = c.Purl
		parts = append(parts, c)
		linked.DependsOn = append(linked.DependsOn, c.Ref)
	}
	bill := struct {
		Format       string       `json:"bomFormat"`
		Spec         string       `json:"specVersion"`
		Serial       string       `json:"serialNumber"`
		Version      int          `json:"version"`
		Metadata     any          `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}{Format: "CycloneDX", Spec: "1.6", Serial: serial(sum), Version: 1, Components: parts,
		Dependencies: []dependency{linked}}
	bill.Metadata = struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	}{builtOn(info).Format(time.RFC3339), main}
	text, err := json.MarshalIndent(bill, "", "  ")
	return append(text, '\n'), err
}

// serial is the number of a bill: a UUID of version 8 (RFC 9562) from the checksum of the program.
func serial(sum [32]byte) string {
	id := sum[:16]
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	return strings.ToLower(fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:]))
}

func licensed(ids []string) (all []license) {
	for _, id := range ids {
		var l license
		l.License.ID = id
		all = append(all, l)
	}
	return all
}
