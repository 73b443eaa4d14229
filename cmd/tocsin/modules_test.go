package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// modernc.org/sqlite is C translated for one version of modernc.org/libc. Its
// documentation asks that go.mod selects that version and no other.
func TestTheDriverOfSQLiteHasTheLibcThatItWasMadeFor(t *testing.T) {
	list := exec.Command("go", "list", "-m", "-f", "{{.GoMod}} {{.Version}}", "modernc.org/sqlite", "modernc.org/libc")
	out, err := list.Output()
	if err != nil {
		t.Skip("the module cache cannot be read: ", err)
	}
	fields := strings.Fields(string(out)) // go.mod and version of sqlite, then of libc
	if len(fields) != 4 {
		t.Fatalf("go list says %q", out)
	}
	mod, err := os.ReadFile(fields[0])
	if err != nil {
		t.Fatal(err)
	}
	if want := "modernc.org/libc " + fields[3]; !strings.Contains(string(mod), want+"\n") {
		t.Errorf("go.mod selects %s, which the go.mod of sqlite does not require:\n%s", want, mod)
	}
}
