package x402

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/mr-tron/base58"

	"tocsin/internal/jsonrpc"
)

// solanaNode imitates a node of Solana.
type solanaNode struct {
	slot     uint64   // finalized
	valid    []string // blockhashes
	landed   []landed // newest first
	genesis  string
	answers  map[string]string // by method: what is answered instead, as a whole
	asked    []string
	requests []string
}

type landed struct {
	transaction string // base64
	err         any
	status      string
	version     int
}

func (l landed) signature() string {
	raw, _ := base64.StdEncoding.DecodeString(l.transaction)
	return base58.Encode(raw[1:65])
}

func (n *solanaNode) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var in struct {
		Method string
		Params []any
	}
	json.Unmarshal(body, &in)
	params, _ := json.Marshal(in.Params)
	n.asked, n.requests = append(n.asked, in.Method), append(n.requests, in.Method+" "+string(params))
	if answer, ok := n.answers[in.Method]; ok {
		io.WriteString(w, answer)
		return
	}
	var result any
	switch in.Method {
	case "isBlockhashValid":
		result = map[string]any{
			"context": map[string]any{"slot": n.slot, "apiVersion": "3.0.0"},
			"value":   slices.Contains(n.valid, in.Params[0].(string)),
		}
	case "getSignaturesForAddress":
		list := []any{}
		for _, l := range n.landed[:min(len(n.landed), int(in.Params[1].(map[string]any)["limit"].(float64)))] {
			list = append(list, map[string]any{
				"signature": l.signature(), "slot": n.slot, "err": l.err,
				"memo": nil, "blockTime": 1, "confirmationStatus": l.status,
			})
		}
		result = list
	case "getTransaction":
		i := slices.IndexFunc(n.landed, func(l landed) bool { return l.signature() == in.Params[0] })
		if i < 0 {
			break
		}
		if n.landed[i].version > 0 {
			io.WriteString(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32015,`+
				`"message":"Transaction version (1) is not supported by the requesting client"}}`)
			return
		}
		result = map[string]any{
			"slot": n.slot, "blockTime": 1, "version": "legacy",
			"transaction": []string{n.landed[i].transaction, "base64"},
			"meta":        map[string]any{"err": n.landed[i].err, "fee": 5000},
		}
	case "getGenesisHash":
		result = n.genesis
	}
	json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": 1, "result": result})
}

func (n *solanaNode) chain(t *testing.T) *SolanaChain {
	t.Helper()
	server := httptest.NewServer(n)
	t.Cleanup(server.Close)
	client, err := jsonrpc.New(server.URL, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	return NewSolanaChain(client)
}

// cosigned is a drafted transaction with an invented signature of the fee payer.
func (d solanaDraft) cosigned(fill byte) string {
	raw, _ := base64.StdEncoding.DecodeString(d.String())
	copy(raw[1:65], bytes.Repeat([]byte{fill}, 64))
	return base64.StdEncoding.EncodeToString(raw)
}

// blockhash returns the draft with another blockhash, and so another message.
func (d solanaDraft) blockhash(b byte) solanaDraft {
	d.hash = [32]byte(bytes.Repeat([]byte{b}, 32))
	return d
}

// solanaOrder returns an order, as Payment.Order writes it.
func solanaOrder(network, transaction string) []byte {
	requirements := fmt.Sprintf(`{"scheme":"exact","network":%q,"amount":"10000","asset":"x","payTo":"y",`+
		`"maxTimeoutSeconds":60,"extra":{}}`, network)
	return fmt.Appendf(nil, `{"x402Version":2,"paymentPayload":{"x402Version":2,"accepted":%s,`+
		`"payload":{"transaction":%q}},"paymentRequirements":%s}`, requirements, transaction, requirements)
}

// durable returns the draft with a durable nonce.
func durable(d solanaDraft) solanaDraft {
	d.keys = append(slices.Clone(d.keys), make([]byte, 32)) // the System program
	d.header[2]++
	d.instructions = append([][]byte{slices.Concat([]byte{6, 1, 2, 4}, advanceNonce)}, d.instructions...)
	return d
}
