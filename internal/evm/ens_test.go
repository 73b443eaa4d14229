package evm

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestNamesOfENSAreNormalizedOrRefused(t *testing.T) {
	for text, want := range map[string]string{
		"vitalik.eth": "vitalik.eth", "Vitalik.ETH": "vitalik.eth", "a.b-c.eth": "a.b-c.eth", "__x.eth": "__x.eth",
		"0.eth": "0.eth", strings.Repeat("a", 63) + ".eth": strings.Repeat("a", 63) + ".eth",
		"eth": "", ".eth": "", "a..eth": "", "a.com": "", "vitalık.eth": "", "vitalik.eth.": "", "a b.eth": "",
		"ab--c.eth": "", "ab--.eth": "", "xn--abc.eth": "", "a_b.eth": "", "_.eth": "", "\u212a.eth": "", "💩.eth": "",
		"a\u200d.eth":                        "",
		strings.Repeat("ab.", 65) + "c.eth":  strings.Repeat("ab.", 65) + "c.eth", // 200 characters
		strings.Repeat("ab.", 65) + "cd.eth": "",
		strings.Repeat("a", 64) + ".eth":     "", strings.Repeat("a.", 100) + "eth": "",
	} {
		if name, ok := ParseENSName(text); name.String() != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", text, name, ok)
		}
	}
}

// The calls and answers are those of viem 2 for its own getEnsAddress.
func TestAnENSNameIsResolved(t *testing.T) {
	const vitalik = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
	const (
		asksFor = "0x9061b923000000000000000000000000000000000000000000000000000000000000004000000000000000000000000000" +
			"0000000000000000000000000000000000008000000000000000000000000000000000000000000000000000000000000000" +
			"0d07766974616c696b0365746800000000000000000000000000000000000000000000000000000000000000000000000000" +
			"0000000000000000000000000000243b3b57deee6c4522aab0003e8d14cd40a6af439055fd2577951148c14b6cea9a534758" +
			"3500000000000000000000000000000000000000000000000000000000"
		found = "0000000000000000000000000000000000000000000000000000000000000040000000000000000000000000231b0ee14048" +
			"e9dccd1d247744d114a4eb5e8e63000000000000000000000000000000000000000000000000000000000000002000000000" +
			"0000000000000000d8da6bf26964af9d7eed9e03e53415d37aa96045"
		lookup = "0x556f1830000000000000000000000000d8da6bf26964af9d7eed9e03e53415d37aa9604500000000000000000000000000" +
			"000000000000000000000000000000000000a000000000000000000000000000000000000000000000000000000000000001" +
			"2012345678000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000" +
			"0000000000000000000000000001600000000000000000000000000000000000000000000000000000000000000001000000" +
			"0000000000000000000000000000000000000000000000000000000020000000000000000000000000000000000000000000" +
			"000000000000000000001168747470733a2f2f782e6578616d706c6500000000000000000000000000000000000000000000" +
			"0000000000000000000000000000000000000000000000000112000000000000000000000000000000000000000000000000" +
			"000000000000000000000000000000000000000000000000000000000000000000000000000000"
	)
	var asked map[string]string
	answer := ""
	n := nodeOf(t, func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			Method string
			Params []json.RawMessage
		}
		json.NewDecoder(r.Body).Decode(&call)
		if call.Method == "eth_chainId" {
			fmt.Fprint(w, `{"jsonrpc": "2.0", "id": 1, "result": "0x2105"}`)
			return
		}
		json.Unmarshal(call.Params[0], &asked)
		fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": 1, %s}`, answer)
	})
	name, _ := ParseENSName("vitalik.eth")
	got := hex.EncodeToString(name.node())
	if want := "ee6c4522aab0003e8d14cd40a6af439055fd2577951148c14b6cea9a53475835"; got != want {
		t.Errorf("namehash %s, want %s", got, want)
	}
	result := func(text string) string { return `"result": "0x` + text + `"` }
	revert := func(data string) string {
		return `"error": {"code": 3, "message": "execution reverted", "data": "` + data + `"}`
	}
	for _, c := range []struct {
		about, answer, want string
		err                 error
	}{
		{"an address", result(found), vitalik, nil},
		{"no address", result(strings.ReplaceAll(found, "d8da6bf26964af9d7eed9e03e53415d37aa96045",
			strings.Repeat("0", 40))), "", ErrNoENSAddress},
		{"more than an address", result(strings.Replace(found, "000000000000d8da", "000000000001d8da", 1)), "",
			ErrNoENSAddress},
		{"nothing", result(found[:64] + strings.Repeat("0", 128)), "", ErrNoENSAddress},
		{"no resolver", revert("0x77209fe8"), "", ErrNoENSAddress},
		{"a gateway", revert(lookup), "", ErrENSElsewhere},
	} {
		answer = c.answer
		a, err := n.ResolveENS(t.Context(), name)
		if !errors.Is(err, c.err) || err == nil && a.String() != c.want {
			t.Errorf("%s: %s, %v", c.about, a, err)
		}
	}
	if asked["data"] != asksFor ||
		!strings.EqualFold(asked["to"], "0xeeeeeeee14d718c2b47d9923deab1335e144eeee") {
		t.Errorf("asked %v", asked)
	}
	for _, answer = range []string{result(""), result("00"), result(strings.Repeat("f", 256)), revert("0x12345678"),
		result(found[:len(found)-2]), result("1" + found[1:]), result(found[:128] + "1" + found[129:]),
		`"error": {"code": -32005, "message": "too many"}`, `"result": 7`} {
		if a, err := n.ResolveENS(t.Context(), name); err == nil || errors.Is(err, ErrNoENSAddress) {
			t.Errorf("%s: %s, %v", answer, a, err)
		}
	}
}
