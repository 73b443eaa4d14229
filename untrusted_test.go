package tocsin

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// cannotHoldASentence lists the text fields of a report that are not free text,
// and why.
var cannotHoldASentence = map[string]string{
	"ID":                               "made by us",
	"Draft.CrimeType":                  "of a fixed list",
	"Draft.ScammerAddresses":           "parsed",
	"Draft.ScammerAccounts":            "CAIP-10 of an account that was parsed",
	"Draft.Currency":                   "ten letters and digits",
	"Draft.IncidentDate":               "parsed",
	"Draft.Evidence.TransactionHashes": "hexadecimal",
	"Status":                           "of a fixed list",
	"Source":                           "the name of a list, given by the operator",
	"Reporter.ID":                      "made by us",
	"URL":                              "made by us",
}

// TestEveryTextOfAReportIsUntrustedOrCannotHoldASentence fails when a report
// gets a field that nobody has decided about.
func TestEveryTextOfAReportIsUntrustedOrCannotHoldASentence(t *testing.T) {
	var r Report
	fields := map[string]string{} // by path: the text that stands there
	var fill func(path string, v reflect.Value)
	fill = func(path string, v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
			fill(path, v.Elem())
		case reflect.Struct:
			for i := range v.NumField() {
				if f := v.Type().Field(i); f.IsExported() {
					fill(strings.TrimPrefix(path+"."+f.Name, "."), v.Field(i))
				}
			}
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(path, v.Index(0))
		case reflect.String:
			fields[path] = fmt.Sprintf("text_%d", len(fields)) // as a domain, none of the plain ones
			v.SetString(fields[path])
		case reflect.Map, reflect.Interface:
			t.Errorf("%s: decide what of it is free text", path)
		}
	}
	fill("", reflect.ValueOf(&r).Elem())
	text, err := json.Marshal(r.Untrusted())
	if err != nil {
		t.Fatal(err)
	}
	for path, value := range fields {
		untrusted := strings.Contains(string(text), `"`+value+`"`) && path != "ID" // which says whose the text is
		if safe := cannotHoldASentence[path] != ""; untrusted == safe {
			t.Errorf("%s: untrusted %t, listed as safe %t", path, untrusted, safe)
		}
	}
	for path := range cannotHoldASentence {
		if fields[path] == "" {
			t.Errorf("there is no text %s", path)
		}
	}
}
