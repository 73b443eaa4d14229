package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestOfManyAccountsThatAreNotScreenedTenAreNamed, and all are counted. So it is with lines that mean sanctioned ones.
func TestOfManyAccountsThatAreNotScreenedTenAreNamed(t *testing.T) {
	m := newMachine(t)
	hit := "0xabcdefabcdefabcdefabcdefabcdefabcdefabcd"
	m.must("import", "ofac", "-from", m.write("sanctioned-addresses.json", strings.Replace(sdn(0, 2), "0x"+
		strings.Repeat("0", 39)+"1", hit, 1)))
	for _, n := range []int{10, 11} {
		more := strings.Repeat("; …", n-10) + "\n"
		beside, wrong := []string{"Adresse\tBetrag"}, []string{}
		for i := range n {
			beside = append(beside, address(i)+"\tfrom "+hit)
			wrong = append(wrong, strings.Replace(hit, "ab", "AB", 1))
		}
		left := m.run("screen", "-csv", "-f", m.write("left.tsv", beside...)).err
		m.want("named", strings.Count(left, "abCD in line "), 10)
		m.want("counted", []bool{strings.Contains(left, fmt.Sprintf(" not screened, %d sanctioned: ", n)),
			strings.Contains(left, " in line 11, column Betrag"+more)}, []bool{true, true})
		meant := m.run("screen", "-csv", "-f", m.write("meant", wrong...)).err
		m.want("meant", []any{strings.Count(meant, " in line "), strings.Contains(meant, fmt.Sprintf("wrong case: %d: ", n)),
			strings.Contains(meant, " in line 10"+more)}, []any{10, true, true})
	}
}
