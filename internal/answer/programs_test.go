package answer

import (
	"encoding/csv"
	"testing"

	"tocsin/internal/feed"
)

// TestEveryProgramOfTheListIsExplained: of the sanctions that come with the program.
func TestEveryProgramOfTheListIsExplained(t *testing.T) {
	file, err := feed.Starter().Open("sanctions.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	table := csv.NewReader(file)
	table.FieldsPerRecord = -1
	rows, err := table.ReadAll()
	if err != nil || len(rows) < 100 {
		t.Fatal(len(rows), err)
	}
	for _, row := range rows[1:] {
		for _, p := range Programs(row[2]) {
			if p.Name == "" {
				t.Errorf("nothing says what %q is", p.Code)
			}
		}
	}
	if all := Programs("CAATSA - RUSSIA, CYBER4"); len(all) != 2 || all[0].Code != "CAATSA - RUSSIA" {
		t.Errorf("the programs are %q", all)
	}
	if unknown := Programs("NEW-EO99999"); len(unknown) != 1 || unknown[0].Name != "" {
		t.Errorf("a program that nobody knows is %q", unknown)
	}
}
