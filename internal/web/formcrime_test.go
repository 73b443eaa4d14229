package web

import "testing"

// TestARecoveryScamIsAChoice of its own, filed as a scam and chosen again where something is wrong.
func TestARecoveryScamIsAChoice(t *testing.T) {
	s := start(t)
	v := s.visitor()
	form := aForm.with(fields{crimeField: "recovery", thingsField: "we-recover.example"})
	p := v.post("/report", form.with(fields{titleField: ""}))
	want(t, "chosen", []any{p.status, p.value(crimeField)}, []any{422, "recovery"})
	v.post("/report", form)
	v.get("/reports?crimeType=scam").says("we-recover[.]example")
}
