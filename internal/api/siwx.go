package api

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"tocsin"
	"tocsin/internal/front"
	"tocsin/internal/store"
)

// signInName is the extension of x402 by which a client signs in instead of paying, and the header of its proof
// (specs/extensions/sign-in-with-x.md of the x402 foundation). What a wallet that signs in has here are the free calls
// of its key.
const signInName = "sign-in-with-x"

// signInStatement is the statement of the message that a client signs.
const signInStatement = "Sign in to Tocsin to use free calls. This moves no funds."

// signInSchema is the schema of a proof. The specification types each field; the header has no room for that.
var signInSchema = json.RawMessage(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",` +
	`"required":["domain","address","uri","version","chainId","type","nonce","issuedAt","signature"]}`)

// signInInfo are the fields of the message that the server decides. A proof repeats them.
type signInInfo struct {
	Domain         string   `json:"domain"`
	URI            string   `json:"uri"`
	Version        string   `json:"version"`
	Nonce          string   `json:"nonce"`
	IssuedAt       string   `json:"issuedAt"`
	ExpirationTime string   `json:"expirationTime,omitempty"`
	Statement      string   `json:"statement,omitempty"`
	NotBefore      string   `json:"notBefore,omitempty"`
	RequestID      string   `json:"requestId,omitempty"`
	Resources      []string `json:"resources,omitempty"`
}

// signInProof is the value of the header, in base64 of JSON.
type signInProof struct {
	signInInfo
	Address   string `json:"address"`
	ChainID   string `json:"chainId"` // CAIP-2
	Signature string `json:"signature"`
}

// signInExtension makes the extension for a 402. Its nonce is good once, for this service.
func (s *Server) signInExtension(ctx context.Context) (json.RawMessage, error) {
	nonce, at, err := s.db.SealedNonce(ctx)
	if err != nil {
		return nil, err
	}
	type chain struct {
		ChainID string `json:"chainId"`
		Type    string `json:"type"`
	}
	var chains []chain
	for _, id := range s.chainIDs() {
		chains = append(chains, chain{fmt.Sprintf("eip155:%d", id), "eip191"})
	}
	written := func(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
	return plainJSON(struct {
		Info            signInInfo      `json:"info"`
		SupportedChains []chain         `json:"supportedChains"`
		Schema          json.RawMessage `json:"schema"`
	}{
		Info: signInInfo{
			Domain:         s.domain(),
			URI:            s.config.BaseURL,
			Version:        "1",
			Nonce:          nonce,
			IssuedAt:       written(at.Std()),
			ExpirationTime: written(at.Std().Add(nonceLife - time.Second)), // the nonce counts whole seconds
			Statement:      signInStatement,
		},
		SupportedChains: chains,
		Schema:          signInSchema,
	}), nil
}

// signedInCaller returns who signed the proof that came with a call, or nil if none came. The second result
// says why a proof is not taken; the call can still be paid for.
func (s *Server) signedInCaller(c *call) (_ *store.Caller, refused string, err error) {
	header := c.Header.Get(signInName)
	if header == "" || c.tool != nil || !s.config.Payments.taken() {
		return nil, "", nil
	}
	proof, fault := decodeProof(header)
	if fault != "" {
		return nil, fault, nil
	}
	ctx := c.Context()
	use := func(ctx context.Context, nonce string) (bool, error) {
		return s.db.UseSealedNonce(ctx, nonce, nonceLife)
	}
	wallet, err := s.authenticate(ctx, front.Of(ctx).Network(), proof.message(), proof.Signature, use)
	var wrong *tocsin.Error
	var wait *Later
	switch {
	case errors.As(err, &wait):
		return nil, wait.Fault.Detail, nil
	case errors.As(err, &wrong):
		return nil, wrong.Error(), nil
	case err != nil:
		return nil, "", err
	}
	caller, err := s.db.CallerOf(ctx, wallet)
	return caller, "", err
}

// decodeProof reads a proof. The fault says why it cannot be read, "" if it can.
func decodeProof(header string) (proof signInProof, fault string) {
	text, err := base64.StdEncoding.DecodeString(strings.TrimSpace(header))
	if err != nil {
		return proof, "it is not base64"
	}
	if err := json.Unmarshal(text, &proof); err != nil {
		return proof, "it is not the JSON of a proof"
	}
	if !strings.HasPrefix(proof.ChainID, "eip155:") {
		return proof, "only wallets of EVM chains (eip155) can sign in"
	}
	return proof, ""
}

// message is the text that was signed (EIP-4361). What a proof makes of it is parsed as strictly as any other message,
// and the signature is over all of it.
func (p signInProof) message() string {
	var b strings.Builder
	b.WriteString(p.Domain + " wants you to sign in with your Ethereum account:\n" + p.Address + "\n\n")
	if p.Statement != "" {
		b.WriteString(p.Statement + "\n")
	}
	b.WriteString("\nURI: " + p.URI + "\nVersion: " + p.Version +
		"\nChain ID: " + strings.TrimPrefix(p.ChainID, "eip155:") + "\nNonce: " + p.Nonce + "\nIssued At: " + p.IssuedAt)
	for _, optional := range [][2]string{{"Expiration Time: ", p.ExpirationTime}, {"Not Before: ", p.NotBefore},
		{"Request ID: ", p.RequestID}} {
		if optional[1] != "" {
			b.WriteString("\n" + optional[0] + optional[1])
		}
	}
	if len(p.Resources) > 0 {
		b.WriteString("\nResources:")
	}
	for _, resource := range p.Resources {
		b.WriteString("\n- " + resource)
	}
	return b.String()
}

// offersSignIn reports whether a 402 says that one can sign in: not to a caller whom we know by a key or a proof, nor
// to one whose proof was refused, who would only sign again, nor where there is nothing to answer.
func (s *Server) offersSignIn(c *call) bool {
	return c.tool == nil && c.Method != http.MethodHead && c.Header.Get(signInName) == ""
}
