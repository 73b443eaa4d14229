package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"tocsin"
	"tocsin/internal/contract"
	"tocsin/internal/front"
	"tocsin/internal/siwe"
)

const (
	// nonceLife is how long a wallet's holder may take to sign.
	nonceLife = 5 * time.Minute
	// walletCheckTimeout is how long a node may take over the signature of a contract wallet.
	walletCheckTimeout = 10 * time.Second
)

// chainIDs are the chains of which wallets may sign in: that of the deployment, where payments are made and whose
// node is asked about contract wallets, then Base and Ethereum. An account that has a key is the same on each.
func (s *Server) chainIDs() []uint64 {
	ids := []uint64{8453, 1}
	if own := s.config.Chain; own != 0 && own != ids[0] {
		ids = slices.Insert(ids, 0, own)
	}
	return ids
}

// Challenge is what a wallet needs to write a message of Sign-In with Ethereum:
// the schema SignInNonce.
type Challenge struct {
	Nonce     string      `json:"nonce"`
	ExpiresAt tocsin.Time `json:"expiresAt"`
	Domain    string      `json:"domain"`
	URI       string      `json:"uri"`
	ChainIDs  []uint64    `json:"chainIds"`
}

// Challenge issues a nonce to a caller from a network.
func (s *Server) Challenge(ctx context.Context, from netip.Prefix) (Challenge, error) {
	if err := s.AdmitSignIn(from); err != nil {
		return Challenge{}, err
	}
	nonce, expires, err := s.db.NewNonce(ctx, nonceLife)
	return Challenge{
		Nonce:     nonce,
		ExpiresAt: expires,
		Domain:    s.domain(),
		URI:       s.config.BaseURL,
		ChainIDs:  s.chainIDs(),
	}, err
}

// Message is the text that a wallet is to sign, with a statement for its holder.
// It names the wallet's chain if wallets of that one may sign in, else the first
// of those that may.
func (c Challenge) Message(wallet tocsin.Address, chain uint64, statement string, now time.Time) string {
	if !slices.Contains(c.ChainIDs, chain) {
		chain = c.ChainIDs[0]
	}
	at := func(t time.Time) siwe.Time { // as the libraries of wallets write it
		return siwe.Time{At: t, Text: t.UTC().Format("2006-01-02T15:04:05.000Z")}
	}
	return siwe.Message{
		Domain:         c.Domain,
		Address:        wallet,
		Statement:      &statement,
		URI:            c.URI,
		Version:        "1",
		ChainID:        chain,
		Nonce:          c.Nonce,
		IssuedAt:       at(now),
		ExpirationTime: at(c.ExpiresAt.Std()),
	}.String()
}

// domain is the authority of our URL, as browsers write it.
func (s *Server) domain() string {
	u, err := url.Parse(s.config.BaseURL)
	if err != nil {
		return ""
	}
	return u.Host
}

// AdmitSignIn refuses a network that has made too many calls of sign-in, with a *[Later].
func (s *Server) AdmitSignIn(from netip.Prefix) error {
	if wait, _ := s.budgets.SignIns.Take(from); wait > 0 {
		return later(tooManySignIns, wait, "Your network has signed in very often within the hour; "+
			"Retry-After says in how many seconds it can again")
	}
	return nil
}

// admitWallet refuses a wallet that has never signed in if its network has brought
// too many of those today. A wallet that is known is never refused. The caller makes
// the agent of the wallet.
func (s *Server) admitWallet(ctx context.Context, from netip.Prefix, wallet tocsin.Address) error {
	if s.budgets.NewAgents == nil {
		return nil
	}
	known, err := s.db.KnowsWallet(ctx, wallet)
	if known || err != nil {
		return err
	}
	if wait, _ := s.budgets.TakeToday(ctx, s.budgets.NewAgents, from); wait > 0 {
		return later(tooManyNewAgents, wait, fmt.Sprintf("From your network %s new wallets have signed in today, "+
			"and no more may until midnight UTC; wallets that have signed in before still can",
			contract.Grouped(s.budgets.NewAgents.Limit())))
	}
	return nil
}

// Authenticate returns the account that signed a message of EIP-4361, which is
// for us, of now, and has an unused nonce of ours. A fault of the
// message or its signature is a *[tocsin.Error]; the error is a *[Later] if the
// network has to wait.
func (s *Server) Authenticate(
	ctx context.Context, from netip.Prefix, message, signature string,
) (tocsin.Address, error) {
	return s.authenticate(ctx, from, message, signature, s.db.UseNonce)
}

// authenticate is Authenticate with the use of a nonce, which reports whether it was good.
func (s *Server) authenticate(
	ctx context.Context, from netip.Prefix, message, signature string, use func(context.Context, string) (bool, error),
) (tocsin.Address, error) {
	var none tocsin.Address
	if err := s.AdmitSignIn(from); err != nil {
		return none, err
	}
	m, err := siwe.Parse(message)
	if err != nil {
		return none, at("message", err)
	}
	signed, err := siwe.ParseSignature(signature)
	if err != nil {
		return none, at("signature", err)
	}
	err = siwe.Check(m, siwe.Expectation{
		Domain: s.domain(),
		Origin: s.config.BaseURL,
		Chains: s.chainIDs(),
		Now:    s.now(),
		MaxAge: nonceLife,
	})
	if err != nil {
		return none, at("message", err)
	}
	fresh, err := use(ctx, m.Nonce)
	if err != nil {
		return none, err
	}
	if !fresh {
		return none, tocsin.Faults([]tocsin.Fault{{
			Field: "message.nonce",
			Reason: "it is not a nonce of this service that is still to be used: " +
				"it was used before, has expired, or was never issued",
			Fix: "ask for a new one, and sign a new message",
		}})
	}
	err = at("signature", s.signedBy(ctx, from, m, message, signed))
	var fault *tocsin.Error
	if errors.As(err, &fault) {
		for i := range fault.Fields {
			fault.Fields[i].Fix += "; the nonce of this message is used up, so ask for a new one"
		}
	}
	if err != nil {
		return none, err
	}
	return m.Address, s.admitWallet(ctx, from, m.Address)
}

// at says in which part of a call the faults of an error lie.
func at(field string, err error) error {
	var fault *tocsin.Error
	if !errors.As(err, &fault) {
		return err
	}
	return tocsin.Faults(fault.In(field))
}

// signedBy asks a node only about what is not the signature of a key.
func (s *Server) signedBy(
	ctx context.Context, from netip.Prefix, m siwe.Message, message string, signature []byte,
) error {
	err := siwe.Verify(ctx, message, m.Address, signature, nil)
	node := s.config.Node
	if err == nil || node == nil || node.Chain() != m.ChainID {
		return err
	}
	busy := later(unavailable, 10*time.Second,
		"The node that is asked about contract wallets does not answer at the moment; sign a new message then")
	leave, ok := s.budgets.WalletChecks.Try(from)
	if !ok {
		return busy
	}
	defer leave()
	front.Of(ctx).Leave()
	ctx, cancel := context.WithTimeout(ctx, walletCheckTimeout)
	defer cancel()
	err = siwe.Verify(ctx, message, m.Address, signature, node)
	if err != nil && !errors.As(err, new(*tocsin.Error)) {
		s.log.Warn("sign-in: "+err.Error(), "chain", m.ChainID)
		return busy
	}
	return err
}

func (s *Server) signInNonce(c *call) (any, error) {
	return s.Challenge(c.Context(), front.Of(c.Context()).Network())
}

// signedIn is the schema SignedIn.
type signedIn struct {
	APIKey  tocsin.Key `json:"apiKey"`
	Address string     `json:"address"`
}

func (s *Server) signIn(c *call) (any, error) {
	if c.schemaErr != nil {
		return nil, c.schemaErr
	}
	var in struct{ Message, Signature string }
	if err := json.Unmarshal(c.body, &in); err != nil {
		return nil, &tocsin.Error{Code: tocsin.Invalid, Detail: "The body is not a sign-in"}
	}
	wallet, err := s.Authenticate(c.Context(), front.Of(c.Context()).Network(), in.Message, in.Signature)
	if err != nil {
		return nil, err
	}
	made, err := s.db.RenewKey(c.Context(), wallet)
	return signedIn{made.Key, wallet.String()}, err
}

// revocation is the schema Revocation.
type revocation struct {
	Prefix string `json:"prefix"`
	Status string `json:"status"`
}

func (s *Server) revokeKey(c *call) (any, error) {
	caller, err := s.caller(c.Request)
	if err != nil {
		return nil, err
	}
	if caller == nil {
		return nil, &tocsin.Error{
			Code:   unauthorized,
			Detail: "Send the key that is to be revoked in the header x-api-key or as Authorization: Bearer; it must be live",
		}
	}
	return revocation{caller.Prefix, "revoked"}, s.db.Revoke(c.Context(), caller, "")
}
