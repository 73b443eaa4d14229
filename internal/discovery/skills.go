package discovery

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"text/template"

	"go.yaml.in/yaml/v3"
)

// The texts are templates of package text/template over the facts.
//
//go:embed skills/*.md parts.tmpl llms.txt guidance.txt robots.txt
var texts embed.FS

// render executes a template over the facts.
func (f *facts) render(name string) ([]byte, error) {
	t, err := template.ParseFS(texts, name, "parts.tmpl")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, f)
	return b.Bytes(), err
}

// skill is one file of instructions for agents (agentskills.io/specification).
type skill struct {
	name, description string
	text              []byte
}

const skillsPath, skillsIndexPath = "/.well-known/agent-skills/", "/.well-known/agent-skills/index.json"

func (s skill) path() string { return skillsPath + s.name + "/SKILL.md" }

// skills renders the skills. Their names and descriptions are in their front matter.
func (f *facts) skills() (list []skill, err error) {
	for _, name := range []string{"screen-before-you-pay", "check-a-link", "file-a-report"} {
		s := skill{}
		if s.text, err = f.render("skills/" + name + ".md"); err != nil {
			return nil, err
		}
		var head struct{ Name, Description string }
		parts := bytes.SplitN(s.text, []byte("---\n"), 3)
		if len(parts) != 3 || len(parts[0]) > 0 {
			return nil, fmt.Errorf("skill %s has no front matter", name)
		}
		if err := yaml.Unmarshal(parts[1], &head); err != nil || head.Name != name || head.Description == "" {
			return nil, fmt.Errorf("skill %s: front matter %+v, %v", name, head, err)
		}
		s.name, s.description = head.Name, head.Description
		list = append(list, s)
	}
	return list, nil
}

// skillsIndex lists the skills (Agent Skills Discovery 0.2.0). A digest is that of the bytes that are served.
func (f *facts) skillsIndex(list []skill) any {
	type entry struct {
		Name        string `json:"name"`
		Type        string `json:"type"`
		Description string `json:"description"`
		URL         string `json:"url"`
		Digest      string `json:"digest"`
	}
	entries := []entry{}
	for _, s := range list {
		sum := sha256.Sum256(s.text)
		entries = append(entries, entry{
			Name:        s.name,
			Type:        "skill-md",
			Description: s.description,
			URL:         f.BaseURL + s.path(),
			Digest:      "sha256:" + hex.EncodeToString(sum[:]),
		})
	}
	return struct {
		Schema string  `json:"$schema"`
		Skills []entry `json:"skills"`
	}{Schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json", Skills: entries}
}
