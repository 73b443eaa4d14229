package contract

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tocsin"
)

// TestWithoutPaymentsExactlyWhatOnlyTheyHaveIsGone: the failures named, responses that have no other, and the ways to
// pay. All else is as with payments.
func TestWithoutPaymentsExactlyWhatOnlyTheyHaveIsGone(t *testing.T) {
	paid := read(t)
	statuses := map[tocsin.Code]int{}
	var all []string
	for _, code := range paid.Codes() {
		all = append(all, code.Code)
		statuses[tocsin.Code(code.Code)] = 400 + (7*len(all))%20
	}
	for step := range 5 { // in each step others are taken for those of payments
		codes := map[tocsin.Code]bool{}
		for i, code := range all {
			codes[tocsin.Code(code)] = i%5 == step || strings.HasPrefix(code, "payment") && step == 0
		}
		free, err := Read(Options{PaymentCodes: codes, Statuses: statuses})
		if err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, code := range all {
			if !codes[tocsin.Code(code)] {
				left = append(left, code)
			}
		}
		named := free.Codes()
		if !slices.IsSortedFunc(named, func(a, b Code) int { return a.Status - b.Status }) {
			t.Errorf("the codes are not by status: %v", named)
		}
		var got []string
		for _, code := range named {
			got = append(got, code.Code)
			want(t, "status of "+code.Code, code.Status, statuses[tocsin.Code(code.Code)])
		}
		want(t, "codes", slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(left)))
		for _, op := range paid.Operations() {
			without := free.Operation(op.ID)
			want(t, op.ID, outline(*without, nil), outline(*op, codes))
			for _, r := range without.Responses {
				for _, code := range r.Codes {
					if strings.Contains(code.ToDo, adviceToPay) {
						t.Errorf("%s %s still says how to pay", op.ID, code.Code)
					}
				}
			}
		}
		schemes := free.document.At("components", "securitySchemes")
		before := paid.document.At("components", "securitySchemes")
		want(t, "ways to call", len(schemes.Members), len(before.Members)-2)
	}
	if paid.Operation("nothing") != nil {
		t.Error("there is an operation of no name")
	}
}

// outline is what an operation answers and takes, without some codes and the ways to pay if there are any codes.
func outline(op Operation, without map[tocsin.Code]bool) string {
	text := fmt.Sprint(op.Method, op.Path, op.Price, op.Open, op.CatchAll)
	for _, c := range op.Credentials {
		if without == nil || c.Schema != "x402" && c.Schema != "signInWithX" {
			text += fmt.Sprint(" by ", c.Name, c.In, c.Schema)
		}
	}
	for _, r := range op.Responses {
		kept := slices.DeleteFunc(slices.Clone(r.Codes), func(c Code) bool { return without[tocsin.Code(c.Code)] })
		if len(r.Codes) > 0 && len(kept) == 0 {
			continue
		}
		text += fmt.Sprint("; ", r.Status, r.Retry, len(r.Fields))
		for _, c := range kept {
			text += " " + c.Code
		}
	}
	return text
}
