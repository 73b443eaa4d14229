package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"tocsin/internal/tocsintest"
)

// packaged returns a file of packaging/.
func packaged(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../packaging", name))
	tocsintest.Must(t, err)
	return string(text)
}

// TestTheUnitsAreValidAndConfined, as systemd-analyze sees them. Its exposure is from 0 to 100, ten times what it
// prints.
func TestTheUnitsAreValidAndConfined(t *testing.T) {
	analyze := shell(t, "systemd-analyze")
	dir := t.TempDir()
	units, err := filepath.Glob("../../packaging/systemd/tocsin*.*")
	tocsintest.Must(t, err)
	var verified []string
	for _, path := range units {
		name := filepath.Base(path)
		if strings.HasSuffix(name, ".env") {
			continue
		}
		text := strings.ReplaceAll(packaged(t, "systemd/"+name), "/usr/local/bin/tocsin", program)
		name = strings.Replace(name, "@.", "@ofac.", 1) // one of a template
		tocsintest.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
		verified = append(verified, filepath.Join(dir, name))
	}
	out, err := exec.Command(analyze, append([]string{"verify", "--man=no"}, verified...)...).CombinedOutput()
	if err != nil || strings.Contains(string(out), dir) {
		t.Errorf("verify: %v\n%s", err, out)
	}
	for _, unit := range verified {
		if !strings.HasSuffix(unit, ".service") {
			continue
		}
		out, err := exec.Command(analyze, "security", "--offline=yes", "--threshold=15", unit).CombinedOutput()
		if err != nil {
			t.Errorf("%s is exposed: %v\n%s", filepath.Base(unit), err, out)
		}
	}
}

// TestWhatIsPackagedSetsVariablesThatThereAre: units, the file of settings, the image and the composition.
func TestWhatIsPackagedSetsVariablesThatThereAre(t *testing.T) {
	known := map[string]bool{"TOCSIN_HOST": true} // of the composition itself
	c, _ := findCommand([]string{"serve"})
	line := newCommandLine(c)
	c.setUp(line)
	line.VisitAll(func(f *flag.Flag) { known[line.variable(f.Name)] = true })
	for _, name := range []string{"systemd/tocsin.service", "systemd/tocsin.env", "systemd/tocsin-import@.service",
		"docker/Dockerfile", "docker/compose.yaml", "docker/Caddyfile"} {
		for _, variable := range regexp.MustCompile(`TOCSIN_[A-Z_]+`).FindAllString(packaged(t, name), -1) {
			if !known[strings.TrimSuffix(variable, "_FILE")] {
				t.Errorf("%s: there is no %s", name, variable)
			}
		}
	}
}

// TestTheImageIsTheProgramAlone: it has no shell, no user root, and asks the program whether it is well.
func TestTheImageIsTheProgramAlone(t *testing.T) {
	file := packaged(t, "docker/Dockerfile")
	_, image, _ := strings.Cut(file, "\nFROM scratch\n")
	for _, says := range []string{"\nUSER 65532:65532\n", "\nENTRYPOINT [\"/tocsin\"]\nCMD [\"serve\"]\n"} {
		if !strings.Contains(image, says) {
			t.Errorf("the image has no %q", says)
		}
	}
	if strings.Contains(image, "\nRUN ") || strings.Contains(image, "\nADD ") {
		t.Errorf("something else is made in the image: %s", image)
	}
	words := regexp.MustCompile(`HEALTHCHECK .* CMD \["/tocsin", "(\w+)"\]`).FindStringSubmatch(image)
	if words == nil {
		t.Fatal("the image is not checked")
	}
	if c, _ := findCommand(words[1:]); c == nil {
		t.Errorf("it is checked by %q, which is no command", words[1])
	}
	mod, err := os.ReadFile("../../go.mod")
	tocsintest.Must(t, err)
	series := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(string(mod))[1]
	from := regexp.MustCompile(`(?m)^FROM --platform=\$BUILDPLATFORM golang:(\d+\.\d+)\.\d+ AS build$`)
	built := from.FindStringSubmatch(file)
	if built == nil || built[1] != series {
		t.Errorf("it is not built with a version of Go %s", series)
	}
}

// TestTheCompositionIsConsistent: what a service names is declared, and no service has a secret in its environment.
func TestTheCompositionIsConsistent(t *testing.T) {
	var c struct {
		Services map[string]struct {
			Image       string
			Environment map[string]string
			Secrets     []string
			Networks    yaml.Node
			Volumes     []string
			DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
			Healthcheck map[string]any
			Ports       []string
		}
		Networks map[string]struct {
			Ipam struct {
				Config []struct {
					Subnet string
					Range  string `yaml:"ip_range"`
				}
			}
		}
		Volumes map[string]any
		Secrets map[string]struct{ File string }
	}
	tocsintest.Must(t, yaml.Unmarshal([]byte(packaged(t, "docker/compose.yaml")), &c))
	tocsintest.Want(t, "image", c.Services["tocsin"].Image, "tocsin:"+version)
	for name, s := range c.Services {
		if !regexp.MustCompile(`^\S+:\d+(\.\d+)+`).MatchString(s.Image) {
			t.Errorf("%s: the image %s has no version", name, s.Image)
		}
		if len(s.Ports) > 0 && name != "proxy" {
			t.Errorf("%s is reached from outside", name)
		}
		for _, secret := range s.Secrets {
			if c.Secrets[secret].File == "" || !slices.Contains(secretsNamed(s.Environment), "/run/secrets/"+secret) {
				t.Errorf("%s: the secret %s is not declared or not used", name, secret)
			}
		}
		for _, volume := range s.Volumes {
			source, _, _ := strings.Cut(volume, ":")
			if _, declared := c.Volumes[source]; !declared && source[0] != '.' {
				t.Errorf("%s: there is no volume %s", name, source)
			}
		}
		var list []string
		var table map[string]map[string]netip.Addr
		if s.Networks.Decode(&list) != nil {
			tocsintest.Must(t, s.Networks.Decode(&table))
		}
		for network, addresses := range table {
			list = append(list, network)
			for _, address := range addresses {
				own := false // no other container can get it, and the server trusts it
				for _, c := range c.Networks[network].Ipam.Config {
					own = own || netip.MustParsePrefix(c.Subnet).Contains(address) &&
						!netip.MustParsePrefix(c.Range).Contains(address)
				}
				trusted := c.Services["tocsin"].Environment["TOCSIN_TRUSTED_PROXIES"]
				if !own || name != "proxy" || !slices.Contains(strings.Split(trusted, ","), address.String()) {
					t.Errorf("%s: the address %s is not its own, or not that of a trusted proxy", name, address)
				}
			}
		}
		for _, network := range list {
			if _, declared := c.Networks[network]; !declared {
				t.Errorf("%s: there is no network %s", name, network)
			}
		}
		for other, on := range s.DependsOn {
			if _, there := c.Services[other]; !there || on.Condition != "service_healthy" {
				t.Errorf("%s depends on %s: %v", name, other, on)
			}
		}
	}
}

// secretsNamed are the values of variables that name a file.
func secretsNamed(environment map[string]string) (paths []string) {
	for name, value := range environment {
		if strings.HasSuffix(name, "_FILE") {
			paths = append(paths, value)
		}
	}
	return paths
}

// dashboard is what is checked of the dashboard of Grafana.
type dashboard struct {
	Panels []struct {
		Title   string
		Targets []struct{ Expr string }
	}
}

// TestDashboardAndAlertsAskForMetricsThatThereAre: their names are in the source of internal/ops, or those of the Go
// runtime and of Prometheus itself.
func TestDashboardAndAlertsAskForMetricsThatThereAre(t *testing.T) {
	source := ""
	files, err := filepath.Glob("../../internal/ops/*.go")
	tocsintest.Must(t, err)
	for _, path := range files {
		text, err := os.ReadFile(path)
		tocsintest.Must(t, err)
		source += string(text)
	}
	known := map[string]bool{}
	for _, found := range regexp.MustCompile(`gauge\("(\w+)"|"tocsin_(\w+)"`).FindAllStringSubmatch(source, -1) {
		known["tocsin_"+found[1]+found[2]] = true
	}
	var d dashboard
	tocsintest.Must(t, json.Unmarshal([]byte(packaged(t, "monitoring/grafana.json")), &d))
	rules := packaged(t, "monitoring/tocsin-alerts.yml")
	asked := regexp.MustCompile(`\btocsin_\w+`).FindAllString(packaged(t, "monitoring/grafana.json")+rules, -1)
	histogram := regexp.MustCompile(`_(bucket|sum|count)$`)
	seen := map[string]bool{}
	for _, name := range asked {
		name = histogram.ReplaceAllString(name, "")
		if seen[name] = true; !known[name] {
			t.Errorf("no metric is named %s", name)
		}
	}
	if len(known) < 30 || len(seen) < 20 || len(d.Panels) < 15 {
		t.Errorf("%d metrics, of which %d are shown in %d panels", len(known), len(seen), len(d.Panels))
	}
	promtool := shell(t, "promtool")
	dir := t.TempDir()
	recorded := "groups:\n- name: panels\n  rules:\n"
	for n, p := range d.Panels {
		for i, target := range p.Targets {
			text, err := json.Marshal(strings.ReplaceAll(target.Expr, "$job", "tocsin"))
			tocsintest.Must(t, err)
			recorded += fmt.Sprintf("  - {record: \"panel:%d:%d\", expr: %s}\n", n, i, text)
		}
	}
	for name, text := range map[string]string{"panels.yml": recorded, "tocsin-alerts.yml": rules,
		"tocsin-alerts-test.yml": packaged(t, "monitoring/tocsin-alerts-test.yml"),
		"prometheus.yml":         strings.ReplaceAll(packaged(t, "monitoring/prometheus.yml"), "/etc/prometheus/", dir+"/")} {
		tocsintest.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	for _, args := range [][]string{{"check", "rules", "panels.yml", "tocsin-alerts.yml"},
		{"test", "rules", "tocsin-alerts-test.yml"}, {"check", "config", "prometheus.yml"}} {
		run := exec.Command(promtool, args...)
		run.Dir = dir
		if out, err := run.CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
}

// TestWhatAKilledBackupLeftGoes before the next one begins, and the copies stay.
func TestWhatAKilledBackupLeftGoes(t *testing.T) {
	for unit, end := range map[string]string{"tocsin-backup.service": ".db", "tocsin-pgdump.service": ".dump"} {
		dir, kept := t.TempDir(), "tocsin-20260304T000000Z"+end
		for _, name := range []string{kept, kept + ".part", "tocsin-20260305T000000Z" + end + ".part-journal", "else.part"} {
			tocsintest.Must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
		}
		before := regexp.MustCompile(`(?m)^ExecStartPre=(.*)$`).FindStringSubmatch(packaged(t, "systemd/"+unit))
		run := exec.Command("/bin/sh", "-c", before[1])
		run.Dir = dir
		tocsintest.Must(t, run.Run())
		left, err := filepath.Glob(filepath.Join(dir, "*"))
		tocsintest.Must(t, err)
		tocsintest.Want(t, unit, len(left), 2)
		tocsintest.Want(t, unit, filepath.Base(left[0])+" "+filepath.Base(left[1]), "else.part "+kept)
	}
}

// TestWhatIsPackagedPointsToHeadingsThatThereAre: an alert at night must not lead to nothing.
func TestWhatIsPackagedPointsToHeadingsThatThereAre(t *testing.T) {
	text, err := os.ReadFile("../../docs/operate.md")
	tocsintest.Must(t, err)
	headings := map[string]bool{}
	for _, h := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(string(text), -1) {
		headings[strings.ToLower(strings.NewReplacer(" ", "-", ",", "").Replace(h[1]))] = true
	}
	rules := packaged(t, "monitoring/tocsin-alerts.yml")
	pointers := regexp.MustCompile(`docs/operate\.md#([\w-]+)`).FindAllStringSubmatch(rules, -1)
	if alerts := strings.Count(rules, "- alert: "); len(pointers) != alerts {
		t.Errorf("%d alerts say %d times where to read on", alerts, len(pointers))
	}
	for _, p := range pointers {
		if !headings[p[1]] {
			t.Errorf("docs/operate.md has no heading #%s", p[1])
		}
	}
}
