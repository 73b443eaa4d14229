package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"tocsin"
	"tocsin/internal/front"
	"tocsin/internal/store"
)

// connecting is what the page shows to a visitor who is not signed in.
type signInPage struct {
	Quota, Lookups   int
	Domain           string
	Error          *signInError // of the last try
	Manual             bool     // by hand: with no wallet in the browser
	Address, AddressError  string   // an address, and what is wrong with it
	Account, Message string   // who is to sign what
	Signature, SignatureError string   // a signature, and what is wrong with it
}

// Statement is what the message says that it is for.
func (signInPage) Statement() string { return statement }

// refusal says why nobody was signed in.
type signInError struct {
	message
	Account string // who should have signed; "" where that is not the point
}

// connect asks a visitor to sign in.
func (s *Site) signInPage(c signInPage, status int) *page {
	c.Quota, c.Lookups = s.api.Quota(&store.Caller{}), s.config.Lookups
	if base, err := url.Parse(s.config.BaseURL); err == nil {
		c.Domain = base.Host
	}
	return &page{Template: "connect", Title: "Connect a wallet", Description: "Sign in with an Ethereum wallet to get a key and free calls every day.", Status: status, Wallet: true, Body: c}
}

// statement is what the message says that it is for.
const statement = "Sign in to Tocsin and get an API key. This moves no funds."

// challenge makes the message of EIP-4361 that a wallet is to sign, with a nonce
// of its own. It names the wallet's chain if wallets of that one may sign in,
// else the first of those that may: the account is the same.
func (s *Site) challenge(req *request, wallet tocsin.Address, chain uint64) (string, error) {
	c, err := s.api.Challenge(req.Context(), front.Of(req.Context()).Network)
	if err != nil {
		return "", err
	}
	return c.Message(wallet, chain, statement, s.db.Now().Std()), nil
}

// message answers a script with what its wallet is to sign.
func (s *Site) message(req *request) (*page, error) {
	wallet, fault := tocsin.ParseAddress(req.PostFormValue("address"))
	if fault != nil {
		return nil, fault
	}
	chain, _ := strconv.ParseUint(req.PostFormValue("chainId"), 0, 64) // wallets tell it as 0x2105, or not at all
	text, err := s.challenge(req, wallet, chain)
	return &page{Text: text}, err
}

// byHand asks whoever has no wallet in the browser to sign elsewhere.
func (s *Site) signManually(req *request) (*page, error) {
	c := signInPage{Manual: true, Address: strings.TrimSpace(req.PostFormValue("address"))}
	wallet, fault := tocsin.ParseAddress(c.Address)
	switch {
	case secretForm.MatchString(c.Address), tocsin.FindSecret(tocsin.CleanText(c.Address)) != nil:
		c.Address, c.AddressError = "", secretText
	case fault != nil:
		c.AddressError = explain(fault)
		c.Address = redisplay(c.Address)
	default:
		var err error
		c.Account = wallet.String()
		if c.Message, err = s.challenge(req, wallet, 0); err != nil {
			return nil, err
		}
		return s.signInPage(c, http.StatusOK), nil
	}
	return s.signInPage(c, http.StatusBadRequest), nil
}

// again makes what was typed fit to be shown once more: without a secret.
func redisplay(typed string) string {
	if typed = tocsin.CleanText(typed); tocsin.FindSecret(typed) != nil {
		return ""
	}
	return tocsin.Shorten(typed, 301)
}

const secretText = "That looks like a private key or a recovery phrase. We kept nothing of it, and show it to nobody. Never give it to a web page, this one included."

var (
	// secretive is the form of what gives an account away: 32 bytes, or a dozen words.
	secretForm = regexp.MustCompile(`^\s*(?:(?:0x)?[0-9a-fA-F]{64}|(?:[a-zA-Z]+[\s,]+){11,}[a-zA-Z]+)\s*$`)
	// hexadecimal is the form of a signature, which is longer than any secret.
	signatureForm = regexp.MustCompile(`^0x([0-9a-fA-F]{2}){64,}$`)
	// bareSignature is one as some tools print it.
	bareSignature = regexp.MustCompile(`^[0-9a-fA-F]{130}$`)
)

// readSignature brings a signature into its form, or says why it is none.
func parseSignature(pasted string) (signature, wrong string) {
	signature = strings.Join(strings.Fields(strings.Trim(pasted, "\"' \r\n\t")), "") // as tools and terminals wrap it
	if bareSignature.MatchString(signature) {
		signature = "0x" + signature
	}
	digits := strings.TrimPrefix(signature, "0x")
	switch {
	case signatureForm.MatchString(signature):
		return signature, ""
	case signature == "":
		return "", "Paste here what your wallet answered when it signed the message."
	case secretForm.MatchString(pasted) || secretForm.MatchString(signature):
		return "", secretText
	case digits == signature:
		return redisplay(pasted), "A signature begins with 0x. Paste all of what your wallet answered, and nothing else."
	}
	return redisplay(pasted), fmt.Sprintf("A signature of a key has 130 digits after 0x, each from 0 to 9 or A to F; this has %s. Paste all of what your wallet answered.", plural(len(digits), "character"))
}

// signIn signs a visitor in who has proved an account. Whoever has no key gets
// one; a key that works is left alone: somebody who looks at the account from
// another browser must not stop a program.
func (s *Site) signIn(req *request) (*page, error) {
	message := strings.ReplaceAll(req.PostFormValue("message"), "\r\n", "\n") // forms end their lines so
	hand := req.PostFormValue("by") == "hand"
	claimed, named := signerIn(message)
	signature, wrong := parseSignature(req.PostFormValue("signature"))
	if hand && named && wrong != "" {
		return s.signInPage(signInPage{Manual: true, Account: claimed.String(), Message: message, Signature: signature, SignatureError: wrong}, http.StatusBadRequest), nil
	}
	wallet, err := s.api.Authenticate(req.Context(), front.Of(req.Context()).Network, message, signature)
	if err != nil {
		var fault *tocsin.Error
		if !errors.As(err, &fault) {
			return nil, err
		}
		// Sent twice, by a reload: the first time did it.
		if req.session != nil && named && req.session.Wallet == claimed {
			return &page{Location: "/account"}, nil
		}
		c := signInPage{Manual: hand, Error: newSignInError(fault, claimed.String())}
		if hand && named {
			c.Account = claimed.String()
			if c.Message, err = s.challenge(req, claimed, 0); err != nil {
				return nil, err
			}
		}
		return s.signInPage(c, http.StatusBadRequest), nil
	}
	// Always a session of its own: one that somebody planted proves nothing.
	if req.session != nil {
		if err := s.db.EndSession(req.Context(), req.token); err != nil {
			return nil, err
		}
	}
	if req.token, err = s.db.NewSession(req.Context(), wallet, sessionLife); err != nil {
		return nil, err
	}
	s.setSession(req, req.token, int(sessionLife.Seconds()))
	if req.session, err = s.db.Session(req.Context(), req.token); err != nil {
		return nil, err
	}
	if req.session == nil || req.session.Caller != nil {
		return &page{Location: "/account"}, nil
	}
	return s.renew(req)
}

// signerOf returns the account that a message says is to sign it.
func signerIn(message string) (tocsin.Address, bool) {
	lines := strings.SplitN(message, "\n", 3)
	if len(lines) < 2 {
		return tocsin.Address{}, false
	}
	account, fault := tocsin.ParseAddress(lines[1])
	return account, fault == nil
}

// refused says what is wrong with a sign-in, for people.
func newSignInError(fault *tocsin.Error, account string) *signInError {
	var wrong tocsin.Fault
	if len(fault.Fields) > 0 {
		wrong = fault.Fields[0]
	}
	switch wrong.Field {
	case "message.nonce", "message.issuedAt", "message.expirationTime", "message.notBefore":
		return &signInError{message{"That message is no longer good.", "Each one can be used once, and for five minutes. Nothing has happened; sign a new one."}, ""}
	case "message.domain", "message.uri", "message.scheme":
		return &signInError{message{"That message is for another site.", "You are not signed in. If somebody else asked you to sign it, sign nothing more there."}, ""}
	case "signature":
		if strings.Contains(wrong.Reason, "ERC-1271") {
			return &signInError{message{"That is not the signature of this account’s key.", "You are not signed in. Another account signed it, or yours is a contract: " + tocsin.Sentence(wrong.Reason)}, account}
		}
		return &signInError{message{"Another account signed that.", "You are not signed in."}, account}
	}
	return &signInError{message{"The message was changed before it was signed.", "You are not signed in. Sign the exact text: " + tocsin.Sentence(wrong.Reason)}, ""}
}
