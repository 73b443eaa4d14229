package web

import "testing"

// TestARecoveryScamIsShownAsOne where it was reported, and chosen again where something is wrong.
func TestARecoveryScamIsShownAsOne(t *testing.T) {
	s := start(t)
	v := s.visitor()
	form := aForm.with(fields{crimeField: "recovery_scam", thingsField: "we-recover.example"})
	p := v.post("/report", form.with(fields{titleField: ""}))
	want(t, "chosen", []any{p.status, p.value(crimeField)}, []any{422, "recovery_scam"})
	v.post("/report", form).says("Recovery scam")
	v.get("/reports?crimeType=recovery_scam").says("we-recover[.]example")
}
