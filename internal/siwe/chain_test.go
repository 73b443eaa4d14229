package siwe

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/evm"
)

// TestOnAChain asks the EVM of a real node about the wallets of wallets.sol. It
// runs where TOCSIN_ANVIL names the program anvil (1.7 or later), which the npm
// package @foundry-rs/anvil brings.
func TestOnAChain(t *testing.T) {
	program := os.Getenv("TOCSIN_ANVIL")
	if program == "" {
		t.Skip("TOCSIN_ANVIL does not name anvil")
	}
	ctx, node := context.Background(), startChain(t, program)
	codes := read[map[string]string](t, "wallets.json")
	k, owner := key(1)
	stranger, _ := key(2)
	good, bad := sign(k, text), sign(stranger, text)

	var senders []string
	ask(t, node, &senders, "eth_accounts")
	deploy := func(name string, args ...[]byte) tocsin.Address {
		var hash string
		data := codes[name] + hex.EncodeToString(slices.Concat(args...))
		ask(t, node, &hash, "eth_sendTransaction",
			map[string]string{"from": senders[0], "gas": "0x1000000", "data": data})
		for range 2400 {
			var receipt *struct{ ContractAddress, Status string }
			ask(t, node, &receipt, "eth_getTransactionReceipt", hash)
			if receipt != nil && receipt.Status == "0x1" {
				address, err := tocsin.ParseAddress(receipt.ContractAddress)
				if err != nil {
					t.Fatal(err)
				}
				return address
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("%s was not deployed", name)
		return tocsin.Address{}
	}
	addressWord := func(a tocsin.Address) []byte { return append(make([]byte, 12), a[:]...) }
	selector := func(signature string) []byte { return evm.Keccak256([]byte(signature))[:4] }
	parrot := func(answer []byte, throws bool) tocsin.Address {
		thrown := 0
		if throws {
			thrown = 1
		}
		return deploy("Parrot", word(64), word(thrown), word(len(answer)), answer, make([]byte, -len(answer)&31))
	}

	wallet := deploy("Wallet", addressWord(owner))
	factory := deploy("Factory")
	unready := deploy("Unready", addressWord(owner))
	burner := deploy("Burner")
	salt := word(7)
	calldata := slices.Concat(selector("deploy(address,bytes32)"), addressWord(owner), salt)
	initCode := append(signatureOf(t, codes["Wallet"]), addressWord(owner)...)
	counterfactual := tocsin.Address(evm.Keccak256([]byte{0xff}, factory[:], salt, evm.Keccak256(initCode))[12:])
	prepare := selector("prepare()")

	for _, c := range []struct {
		about     string
		by        tocsin.Address
		signature []byte
		valid     bool
	}{
		{"a wallet, its owner", wallet, good, true},
		{"a wallet, a stranger: it throws", wallet, bad, false},
		{"a wallet, no signature", wallet, nil, false},
		{"a wallet, wrapped", wallet, wrap(factory, calldata, good), true},
		{"a wallet, wrapped, a stranger", wallet, wrap(factory, calldata, bad), false},
		{"not deployed", counterfactual, wrap(factory, calldata, good), true},
		{"not deployed, a stranger", counterfactual, wrap(factory, calldata, bad), false},
		{"not deployed, another factory", counterfactual, wrap(wallet, calldata, good), false},
		{"not deployed, other calldata", counterfactual, wrap(factory, calldata[:40], good), false},
		{"not deployed, not wrapped", counterfactual, good, false},
		{"not deployed, asked a second time", counterfactual, wrap(factory, calldata, good), true},
		{"not ready", unready, good, false},
		{"not ready, made so", unready, wrap(unready, prepare, good), true},
		{"not ready, made so, a stranger", unready, wrap(unready, prepare, bad), false},
		{"a long signature", wallet, make([]byte, maxSignature), false},
		{"no contract", tocsin.Address{1, 2, 3}, good, false},
		{"the zero address", tocsin.Address{}, good, false},
		{"the precompile that gives back its input", tocsin.Address{19: 4}, good, false},
		{"the precompile of SHA-256", tocsin.Address{19: 2}, good, false},
		{"uses up all gas", burner, good, false},
		{"uses up all gas, and so does the factory", burner, wrap(burner, calldata, good), false},
		{"writes", deploy("Writer"), good, false},
		{"answers magic", parrot(magic, false), []byte{1}, true},
		{"throws magic", parrot(magic, true), []byte{1}, false},
		{"answers 4 bytes", parrot(magic[:4], false), []byte{1}, false},
		{"answers 31 bytes", parrot(magic[:31], false), []byte{1}, false},
		{"answers two words", parrot(append(slices.Clone(magic), word(1)...), false), []byte{1}, true},
		{"answers what begins like a forbidden code", parrot(append([]byte{0xef}, magic[1:]...), false), []byte{1}, false},
	} {
		err := Verify(ctx, text, c.by, c.signature, node)
		if (err == nil) != c.valid || err != nil && !errors.As(err, new(*tocsin.Error)) {
			t.Errorf("%s: %v", c.about, err)
		}
	}
	var code string
	if ask(t, node, &code, "eth_getCode", counterfactual.String(), "latest"); code != "0x" {
		t.Errorf("the question left %d bytes of code behind", len(code)/2-1)
	}
	throws := append(selector("isValidSignature(bytes32,bytes)"), slices.Concat(make([]byte, 32), word(64), word(0))...)
	if out, err := node.Call(ctx, &wallet, throws); err == nil || !strings.Contains(err.Error(), "reverted") {
		t.Errorf("a call that reverts: %x, %v", out, err)
	}
}

// startChain starts a chain that ends with the test.
func startChain(t *testing.T, program string) *evm.Node {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	chain := exec.Command(program, "--host", "127.0.0.1", "--port", fmt.Sprint(port), "--chain-id", "8453", "--silent")
	if err := chain.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		chain.Process.Kill()
		chain.Wait()
	})
	node, err := evm.NewNode(fmt.Sprintf("http://127.0.0.1:%d", port), 8453, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	for range 2400 {
		if err = node.CheckChain(context.Background()); err == nil {
			return node
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal(err)
	return nil
}

func ask(t *testing.T, node *evm.Node, into any, method string, params ...any) {
	t.Helper()
	if err := node.Ask(context.Background(), into, method, params...); err != nil {
		t.Fatal(err)
	}
}
