package web

import (
	"strings"
	"testing"
)

// choices are the fields that hold one of a few values, and nothing else that is typed.
var choices = []string{crimeField, platformField, hashesField, theirsField, meantField}

// TestWhatIsTheirsMayBeInTheStory: the form asks once whose a number is, and not about what is named as theirs.
func TestWhatIsTheirsMayBeInTheStory(t *testing.T) {
	s := start(t)
	v := s.visitor()
	form := aForm.with(fields{thingsField: "asked.example\n+52 55 9876 5432\nthief@mail.example",
		storyField: "He wrote from thief@mail.example and " +
			"+52 55 9876 5432, or 55 9876 5432, and wanted it on 4111 1111 1111 1111."})
	asked := v.post("/report", form)
	asked.keeps(form)
	asked.says("Everybody will see 4111 1111 1111 1111. If it is yours")
	want(t, "asked", []any{asked.status, strings.Contains(asked.html, `name="theirs" value="all"`)}, []any{422, true})
	filed := v.post("/report", form.with(fields{theirsField: "all"}))
	want(t, "filed", []any{filed.status, s.storedReport(filed).Description}, []any{200, form[storyField]})
}
