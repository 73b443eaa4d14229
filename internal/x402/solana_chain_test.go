package x402

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mr-tron/base58"
)

const solanaMain = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"

func TestStateOnSolana(t *testing.T) {
	ours := newDraft(t).blockhash(7)
	hash := base58.Encode(ours.hash[:])
	paid := landed{transaction: ours.cosigned(9), status: "confirmed"}
	failed := landed{
		transaction: ours.cosigned(9),
		status:      "finalized",
		err:         map[string]any{"InstructionError": []any{0, "Custom"}},
	}
	justFailed := failed
	justFailed.status = "confirmed"
	other := func(b byte) landed {
		return landed{transaction: newDraft(t).blockhash(b).cosigned(b), status: "finalized"}
	}
	crowd := make([]landed, maxCandidates)
	for i := range crowd {
		crowd[i] = other(byte(100 + i))
	}
	later := other(20)
	later.version = 1
	nonce := durable(ours)
	noncePaid, nonceFailed := paid, failed
	noncePaid.transaction, nonceFailed.transaction = nonce.cosigned(9), nonce.cosigned(9)

	for name, c := range map[string]struct {
		draft       solanaDraft
		landed      []landed
		valid       bool
		passed      uint64 // slots since it was first asked about
		genesis     string
		answers     map[string]string
		want        ChainState
		transaction string
		err         string
		calls       int
	}{
		"carried out": {
			landed: []landed{paid}, valid: true,
			want: Executed, transaction: paid.signature(), calls: 3,
		},
		"carried out among others": {
			landed: []landed{other(20), other(21), paid, other(22)}, valid: true,
			want: Executed, transaction: paid.signature(), calls: 5,
		},
		"carried out, expired since": {
			landed: []landed{other(20), paid}, passed: 999,
			want: Executed, transaction: paid.signature(), calls: 4,
		},
		"carried out, after one of a later kind": {
			landed: []landed{later, paid}, valid: true,
			want: Executed, transaction: paid.signature(), calls: 4,
		},
		"carried out in a crowd, the last": {
			landed: append(slices.Clone(crowd[1:]), paid), passed: 999,
			want: Executed, transaction: paid.signature(), calls: 102,
		},
		"failed":                                {landed: []landed{failed}, valid: true, want: Void, calls: 3},
		"failed in a block that may be dropped": {landed: []landed{justFailed}, valid: true, want: Unspent, calls: 3},
		"not there yet": {
			landed: []landed{other(20)}, valid: true, passed: 999,
			want: Unspent, calls: 3,
		},
		"not there yet, in a crowd":               {landed: crowd, valid: true, want: Unspent, calls: 102},
		"an account without transactions":         {valid: true, want: Unspent, calls: 2},
		"the blockhash is not known, perhaps new": {landed: []landed{other(20)}, want: Unspent, calls: 3},
		"the blockhash is not known, almost surely": {
			landed: []landed{other(20)}, passed: finalityMargin - 1,
			want: Unspent, calls: 3,
		},
		"expired":                           {landed: []landed{other(20)}, passed: finalityMargin, want: Void, calls: 4},
		"expired, one of a later kind":      {landed: []landed{later}, passed: finalityMargin, want: Void, calls: 4},
		"expired, without transactions":     {passed: finalityMargin, want: Void, calls: 3},
		"expired, perhaps beyond the crowd": {landed: crowd, passed: finalityMargin, err: "may be older", calls: 102},
		"expired, on another network": {
			passed: finalityMargin, genesis: "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG",
			err: "not of the network", calls: 3,
		},
		"expired, and no genesis": {
			passed: finalityMargin, answers: map[string]string{"getGenesisHash": `{"result":null}`},
			err: "not of the network", calls: 3,
		},
		"a durable nonce": {draft: nonce, passed: 999, want: Unspent, calls: 2},
		"a durable nonce, carried out": {
			draft: nonce, landed: []landed{noncePaid}, passed: 999,
			want: Executed, transaction: noncePaid.signature(), calls: 3,
		},
		"a durable nonce, failed": {
			draft: nonce, landed: []landed{nonceFailed}, passed: 999,
			want: Unspent, calls: 3,
		},
	} {
		if c.draft.keys == nil {
			c.draft = ours
		}
		if c.genesis == "" {
			c.genesis = strings.TrimPrefix(solanaMain, "solana:") + "KWktE6qPZ2Fg"
		}
		node := &solanaNode{slot: 5000, genesis: c.genesis}
		chain := node.chain(t)
		if c.passed > 0 { // asked before
			node.valid = []string{hash}
			state, _, err := chain.State(context.Background(), solanaOrder(solanaMain, c.draft.String()))
			if state != Unspent || err != nil {
				t.Errorf("%s: at first %v, %v", name, state, err)
			}
		}
		node.slot, node.landed, node.answers, node.asked, node.requests = 5000+c.passed, c.landed, c.answers, nil, nil
		if !c.valid {
			node.valid = nil
		} else {
			node.valid = []string{hash}
		}
		state, transaction, err := chain.State(context.Background(), solanaOrder(solanaMain, c.draft.String()))
		wrongErr := (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err)
		if state != c.want || transaction != c.transaction || wrongErr {
			t.Errorf("%s: %v, %q, %v", name, state, transaction, err)
		}
		if len(node.asked) != c.calls {
			t.Errorf("%s: %d calls: %v", name, len(node.asked), node.asked)
		}
	}
}

func TestWhatANodeOfSolanaIsAsked(t *testing.T) {
	ours := newDraft(t).blockhash(7)
	paid := landed{transaction: ours.cosigned(9), status: "confirmed"}
	node := &solanaNode{slot: 5000, landed: []landed{paid}}
	state, _, err := node.chain(t).State(context.Background(), solanaOrder(solanaMain, ours.String()))
	if state != Executed || err != nil {
		t.Fatal(state, err)
	}
	want := []string{
		fmt.Sprintf(`isBlockhashValid [%q,{"commitment":"finalized"}]`, base58.Encode(ours.hash[:])),
		fmt.Sprintf(`getSignaturesForAddress [%q,{"commitment":"confirmed","limit":100,"minContextSlot":5000}]`,
			base58.Encode(ours.keys[2])),
		fmt.Sprintf(`getTransaction [%q,{"commitment":"confirmed","encoding":"base64","maxSupportedTransactionVersion":0}]`,
			paid.signature()),
	}
	if !slices.Equal(node.requests, want) {
		t.Errorf("asked %s,\nnot %s", node.requests, want)
	}
}

// No invalid response of a node changes the state of a payment.
func TestANodeOfSolanaThatFails(t *testing.T) {
	ours := newDraft(t).blockhash(7)
	paid := landed{transaction: ours.cosigned(9), status: "finalized"}
	twin := ours.cosigned(8) // the same message, and another signature
	entry := func(text string) string { return `{"result":` + text + `}` }
	transaction := func(meta, text, encoding string) string {
		return entry(fmt.Sprintf(`{"slot":1,"meta":%s,"transaction":[%q,%q]}`, meta, text, encoding))
	}
	one := fmt.Sprintf(`{"signature":%q}`, paid.signature())
	many := entry(`[` + strings.Repeat(one+`,`, maxCandidates) + one + `]`)
	for method, answers := range map[string][]string{
		"isBlockhashValid": {
			``, `<html>`, `{"error":{"code":-32602,"message":"invalid"}}`, entry(`null`), entry(`false`),
			entry(`{"value":false}`), entry(`{"context":{"slot":6000}}`), entry(`{"context":{"slot":6000},"value":null}`),
			entry(`{"context":{"slot":-1},"value":false}`), entry(`{"context":{"slot":"6000"},"value":false}`),
			entry(`{"context":{"slot":6000},"value":"false"}`), entry(`{"context":{"slot":99999999999999999999},"value":false}`),
		},
		"getSignaturesForAddress": {
			``, `{"error":{"code":-32016,"message":"Minimum context slot has not been reached"}}`,
			entry(`null`), entry(`{}`), entry(`"x"`), entry(`[1]`), entry(`[{}]`), entry(`[null]`),
			entry(`[{"signature":"1111"}]`), entry(`[{"signature":7}]`), many,
		},
		"getTransaction": {
			``, `{"error":{"code":-32004,"message":"Block not available"}}`, entry(`null`), entry(`{}`), entry(`[]`),
			transaction(`null`, paid.transaction, "base64"), transaction(`{}`, paid.transaction, "base64"),
			transaction(`{"err":null}`, paid.transaction, "base58"), transaction(`{"err":null}`, twin, "base64"),
			transaction(`{"err":null}`, "", "base64"), transaction(`{"err":null}`, "AA==", "base64"),
			transaction(`{"err":null}`, "!", "base64"), transaction(`{"err":null}`, paid.transaction+"!", "base64"),
			transaction(`{"err":null}`, paid.transaction[:40], "base64"), transaction(`{"err":null}`, "gAAA", "base64"),
			entry(`{"meta":{"err":null},"transaction":"x"}`), entry(`{"meta":{"err":null},"transaction":{}}`),
			entry(`{"meta":{"err":null},"transaction":["AA=="]}`),
		},
	} {
		for _, answer := range answers {
			node := &solanaNode{slot: 5000, landed: []landed{paid}, genesis: solanaMain[7:]}
			chain := node.chain(t)
			chain.firstSeen[base58.Encode(ours.hash[:])] = 1 // so long ago that an invalid blockhash means Void
			node.answers = map[string]string{method: answer}
			state, transaction, err := chain.State(context.Background(), solanaOrder(solanaMain, ours.String()))
			if state != Unknown || transaction != "" || err == nil {
				t.Errorf("%s: %.80s: %v, %q, %v", method, answer, state, transaction, err)
			}
		}
	}
}

func TestStateOnSolanaOfAnInvalidOrder(t *testing.T) {
	node := &solanaNode{}
	chain := node.chain(t)
	for _, text := range []string{
		"", "{}", "null", `{"paymentPayload":7}`,
		string(solanaOrder(solanaMain, "AAAA")),
		string(solanaOrder("eip155:8453", newDraft(t).String())),
	} {
		state, transaction, err := chain.State(context.Background(), []byte(text))
		if state != Unknown || transaction != "" || err == nil {
			t.Errorf("%.60s: %v, %q, %v", text, state, transaction, err)
		}
	}
	p, err := Decode(header(signedByViem(t)))
	if err != nil {
		t.Fatal(err)
	}
	onBase := p.Order(p.Accepted, Resource{}, nil)
	if state, _, err := chain.State(t.Context(), onBase); state != Unknown || err != nil {
		t.Errorf("a payment on another kind of network: %v, %v", state, err)
	}
	if len(node.asked) > 0 {
		t.Errorf("asked %v", node.asked)
	}
	// Nothing landed, and the blockhash is over: which network the node is of decides.
	for genesis, network := range map[string]string{"": solanaMain, solanaMain[7:]: "solana:", "another": solanaMain} {
		ours := newDraft(t).blockhash(7)
		node := &solanaNode{slot: 5000, genesis: genesis}
		chain := node.chain(t)
		chain.firstSeen[base58.Encode(ours.hash[:])] = 1
		if genesis == "" {
			node.answers = map[string]string{"getGenesisHash": `{"error":{"code":-32603,"message":"busy"}}`}
		}
		if state, _, err := chain.State(t.Context(), solanaOrder(network, ours.String())); state != Unknown || err == nil {
			t.Errorf("a node of %q, asked about %s: %v, %v", genesis, network, state, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if state, _, err := chain.State(ctx, solanaOrder(solanaMain, newDraft(t).String())); state != Unknown || err == nil {
		t.Errorf("%v, %v", state, err)
	}
}

// The nodes behind one address may differ in how far they are. The number of remembered
// blockhashes is limited.
func TestWhenABlockhashIsOver(t *testing.T) {
	node := &solanaNode{}
	chain := node.chain(t)
	over := func(slot uint64, hash string) bool {
		t.Helper()
		node.slot = slot
		got, over, err := chain.expired(context.Background(), hash)
		if err != nil || got != slot {
			t.Fatal(got, err)
		}
		return over
	}
	for _, c := range []struct {
		slot uint64
		want bool
	}{
		{1000, false}, {900, false}, {1000 + finalityMargin - 1, false}, {0, false},
		{1000 + finalityMargin, true}, {1<<64 - 1, true}, {900, false},
	} {
		if got := over(c.slot, "a"); got != c.want {
			t.Errorf("at %d: %v", c.slot, got)
		}
	}
	if over(1<<64-1, "b") || over(10, "b") {
		t.Error("expired too early")
	}
	for i := len(chain.firstSeen); i < maxBlockhashes-1; i++ {
		chain.firstSeen[fmt.Sprint(i)] = 5000
	}
	for _, kept := range []int{maxBlockhashes, 1, 2} { // one too many, and they are forgotten
		if over(5000, fmt.Sprint("of ", kept)); len(chain.firstSeen) != kept {
			t.Errorf("%d are remembered, not %d", len(chain.firstSeen), kept)
		}
	}
	if over(9000, "a") || !over(9000+finalityMargin, "a") {
		t.Error("a forgotten blockhash is not treated as a new one")
	}
}

// Transactions of the official client and drafted ones are located by the token account
// that they draw on.
func TestLocateATransfer(t *testing.T) {
	for _, c := range solanaCases(t) {
		if c.Error != "" {
			continue
		}
		text := fmt.Sprintf(`{"transaction":%q}`, c.Transaction)
		p := &Payment{}
		if err := p.parseSolana([]byte(text)); err != nil {
			t.Fatal(c.Name, err)
		}
		source, lifetime, durable, err := p.payload.(*transfer).locate()
		want, _ := associatedTokenAccount(c.Payer, c.Mint, c.TokenProgram)
		if err != nil || source != want || durable || validSolana(lifetime) != nil {
			t.Errorf("%s: %s, %s, %v, %v, want %s", c.Name, source, lifetime, durable, err, want)
		}
	}
	begins := func(instruction ...byte) func(*solanaDraft) {
		return func(d *solanaDraft) {
			*d = durable(*d)
			d.instructions[0] = instruction
		}
	}
	for name, c := range map[string]struct {
		change func(*solanaDraft)
		want   bool
	}{
		"a durable nonce":           {func(d *solanaDraft) { *d = durable(*d) }, true},
		"not the first instruction": {func(d *solanaDraft) { *d = durable(*d); slices.Reverse(d.instructions) }, false},
		"another program": {func(d *solanaDraft) {
			*d = durable(*d)
			d.keys[6] = bytes.Repeat([]byte{9}, 32)
		}, false},
		"another instruction of it":   {begins(6, 0, 4, 2, 0, 0, 0), false},
		"too short an instruction":    {begins(6, 0, 1, 4), false},
		"more than the instruction":   {begins(6, 0, 5, 4, 0, 0, 0, 0), true},
		"no instruction of the nonce": {func(*solanaDraft) {}, false},
		"version 0": {func(d *solanaDraft) {
			*d = durable(*d)
			d.version, d.lookups = []byte{0x80}, []byte{0}
		}, true},
	} {
		d := newDraft(t).blockhash(7)
		c.change(&d)
		got, err := parseSolanaTransfer(d.String())
		if err != nil {
			t.Fatal(name, err)
		}
		source, lifetime, durable, err := (&transfer{got, d.String()}).locate()
		if err != nil || durable != c.want || source != base58.Encode(d.keys[2]) || lifetime != base58.Encode(d.hash[:]) {
			t.Errorf("%s: %s, %s, %v, %v", name, source, lifetime, durable, err)
		}
	}
	if _, _, _, err := (&transfer{transaction: "AAAA"}).locate(); err == nil {
		t.Error("an invalid transaction is located")
	}
}
