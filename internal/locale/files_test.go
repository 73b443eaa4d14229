package locale

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// TestACatalogueSaysWhatIsWrongWithIt: each part that is missing, and each translation that does not fit.
func TestACatalogueSaysWhatIsWrongWithIt(t *testing.T) {
	const incomplete = "nl.yaml: the name or the dates are not whole"
	months := "[" + strings.Repeat("a,", 11) + "a]"
	whole := "name: N\ndates: {day: d, long: l, minute: m, months: " + months + ", short: " + months + "}\n"
	for text, fault := range map[string]string{
		whole: "", "name: N\ndates: {day: d, long: l, minute: m}\n": "",
		strings.Replace(whole, "name: N\n", "", 1):            incomplete,
		strings.Replace(whole, "day: d, ", "", 1):             incomplete,
		strings.Replace(whole, "long: l, ", "", 1):            incomplete,
		strings.Replace(whole, "minute: m, ", "", 1):          incomplete,
		strings.Replace(whole, "months: [a,", "months: [", 1): incomplete,
		strings.Replace(whole, "short: [a,", "short: [", 1):   incomplete,
		whole + "other: x\n": "nl.yaml: yaml: unmarshal errors:\n  line 3: field other not " +
			"found in type locale.Catalogue",
	} {
		_, err := decode("nl", []byte(text))
		if got := fmt.Sprint(err); got != fault && (err != nil || fault != "") {
			t.Errorf("%q: %s", text, got)
		}
	}
	if _, err := decode("-", nil); err == nil {
		t.Error("no language has the tag -")
	}
	if _, err := Read("xx"); err == nil {
		t.Error("there is no catalogue of xx")
	}
	if _, err := head("xx"); err == nil {
		t.Error("there is no catalogue of xx")
	}
	one := []plural.Form{plural.Other, plural.One}
	for e, fault := range map[Entry]string{
		{Key: "%d reports", One: "one", Other: "%d"}: "",
		{Key: "%d reports", Other: "%d"}: "its forms are not those of a number in this language, of which " +
			"there are 2",
		{Key: "%s", Text: "%d"}:      `"%d" has other placeholders`,
		{Key: "<b>a</b>", Text: "a"}: `"a" has other tags`,
		{Key: "a", Text: " a"}:       `" a" begins or ends with a space, or has a ${`,
		{Key: "a", Text: "a${b"}:     `"a${b" begins or ends with a space, or has a ${`,
		{Key: "%s: %d", One: "%s", Other: "%s"}: "\"%s\" leaves the number out, so it must number its placeholders, " +
			"as in %[1]s",
		{Key: "%x", Text: "%x"}:         `"%x" is neither %s nor %d, nor %% for a percent sign`,
		{Key: "%x"}:                     `"%x" is neither %s nor %d, nor %% for a percent sign`,
		{Key: "%[1]s %[1]d", Text: "x"}: "argument 1 is a text and a number",
		{Key: "%[1]s %s", Text: "x"}:    `"%[1]s %s" numbers only some of its placeholders`,
	} {
		if got := fmt.Sprint(check(e, one)); got != fault && (fault != "" || got != "<nil>") {
			t.Errorf("%+v: %s", e, got)
		}
	}
}

// TestALanguageHasTheFormsOfANumberThatItNeeds, as CLDR has them.
func TestALanguageHasTheFormsOfANumberThatItNeeds(t *testing.T) {
	for tag, forms := range map[string]string{"en": "other one", "de": "other one", "zh-Hans": "other",
		"pl": "one few many",
		"ru": "one few many", "ar": "other zero one two few many", "es": "other one", "cs": "other one few",
		"sl": "other one two few"} {
		var got []string
		for _, form := range (&Catalogue{Tag: language.Make(tag)}).Plurals() {
			got = append(got, FormName(form))
		}
		want(t, tag, strings.Join(got, " "), forms)
	}
	whole := Entry{Zero: "z", One: "o", Two: "t", Few: "f", Many: "m", Other: "x"}
	want(t, "forms", fmt.Sprint(whole.Forms()), "map[0:x 1:z 2:o 3:t 4:f 5:m]")
	want(t, "tags", strings.Join(Tags(), " "), strings.Join(slices.Sorted(slices.Values(Shipped())), " "))
}
