package api

import (
	"fmt"
	"testing"

	"tocsin"
)

// The codes of the contract are those of the program, each with its status.
func TestTheContractNamesEveryCode(t *testing.T) {
	ref := openShop(t).api.Contract()
	named := map[tocsin.Code]bool{}
	for _, op := range ref.Operations() {
		for _, a := range op.Responses {
			if a.Status >= "400" && len(a.Codes) == 0 {
				t.Errorf("%s %s names no code", op.ID, a.Status)
			}
			for _, code := range a.Codes {
				named[tocsin.Code(code.Code)] = true
				status := fmt.Sprint(code.Status)
				if a.Status != "default" && a.Status != status || code.Status == 0 || code.ToDo == "" {
					t.Errorf("%s %s: %+v", op.ID, a.Status, code)
				}
			}
		}
	}
	for code := range statusOf {
		if !named[code] {
			t.Errorf("the contract does not name %s", code)
		}
	}
}
