package siwe

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/evm"
)

// account is a contract: what it answers to an input, or false if it throws the
// answer. Static says that it must change nothing.
type account func(input []byte, static bool) (answer []byte, ok bool)

// machine is a chain that runs creation code, of the instructions that ours has.
type machine struct {
	accounts map[tocsin.Address]account
	calls    int    // how often code was run
	says     string // what is answered instead, if it is not ""
}

// node returns a node of the machine.
func (m *machine) node(t testing.TB) *evm.Node {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Method string
			Params []json.RawMessage
		}
		var call map[string]string
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || asked.Method != "eth_call" ||
			len(asked.Params) != 2 || json.Unmarshal(asked.Params[0], &call) != nil {
			t.Errorf("asked %+v, %v", asked, err)
		}
		code, err := hex.DecodeString(strings.TrimPrefix(call["data"], "0x"))
		if err != nil || len(call) != 1 || string(asked.Params[1]) != `"latest"` {
			t.Errorf("asked %v, %v", call, err)
		}
		m.calls++
		if m.says != "" {
			fmt.Fprint(w, m.says)
			return
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":"0x%x"}`, m.run(t, code))
	}))
	t.Cleanup(server.Close)
	n, err := evm.NewNode(server.URL, 0, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (m *machine) call(to tocsin.Address, input []byte, static bool) ([]byte, bool) {
	if a := m.accounts[to]; a != nil {
		return a(input, static)
	}
	return nil, true // nobody there: success, and no answer
}

// run is the EVM of the yellow paper, as far as our code goes.
func (m *machine) run(t testing.TB, code []byte) []byte {
	var (
		stack    []*big.Int
		memory   = make([]byte, 1<<17)
		returned []byte
	)
	pop := func() *big.Int {
		if len(stack) == 0 {
			t.Fatal("the stack is empty")
		}
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		return v
	}
	count := func() int { return int(pop().Int64()) }
	push := func(v *big.Int) { stack = append(stack, v) }
	truth := func(b bool) {
		if b {
			push(big.NewInt(1))
		} else {
			push(new(big.Int))
		}
	}
	for pc := 0; pc < len(code); pc++ {
		op := code[pc]
		if n := int(op) - opPush1 + 1; n >= 1 && n <= 32 {
			push(new(big.Int).SetBytes(code[pc+1 : pc+1+n]))
			pc += n
			continue
		}
		switch op {
		case opDiv:
			push(new(big.Int).Div(pop(), pop()))
		case opEq:
			truth(pop().Cmp(pop()) == 0)
		case opGt:
			truth(pop().Cmp(pop()) > 0)
		case opAnd:
			push(new(big.Int).And(pop(), pop()))
		case opOr:
			push(new(big.Int).Or(pop(), pop()))
		case opPop:
			pop()
		case opGas:
			push(big.NewInt(50_000_000))
		case opReturnDataSize:
			push(big.NewInt(int64(len(returned))))
		case opMLoad:
			at := count()
			push(new(big.Int).SetBytes(memory[at : at+32]))
		case opMStore8:
			at := count()
			memory[at] = byte(pop().Uint64())
		case opCodeCopy:
			to, from, n := count(), count(), count()
			copy(memory[to:to+n], code[from:]) // the rest of memory is 0 already
		case opCall, opStaticCall:
			if gas := count(); gas != 25_000_000 {
				t.Errorf("a call is given %d gas, not half of what is left", gas)
			}
			to := tocsin.Address(pop().FillBytes(make([]byte, 20)))
			if op == opCall && pop().Sign() != 0 {
				t.Error("value is sent")
			}
			at, n, answerAt, answerSize := count(), count(), count(), count()
			answer, ok := m.call(to, bytes.Clone(memory[at:at+n]), op == opStaticCall)
			returned = answer
			copy(memory[answerAt:answerAt+answerSize], answer)
			truth(ok)
		case opReturn:
			at, n := count(), count()
			if len(stack) != 0 {
				t.Errorf("%d values are left on the stack", len(stack))
			}
			return memory[at : at+n]
		default:
			t.Fatalf("instruction %#x at %d", op, pc)
		}
	}
	t.Fatal("the code has no end")
	return nil
}
