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
type connecting struct {
	Quota, Lookups   int
	Domain           string
	Trouble          *refusal // of the last try
	Hand             bool     // by hand: with no wallet in the browser
	Typed, Mistyped  string   // an address, and what is wrong with it
	Account, Message string   // who is to sign what
	Pasted, Unsigned string   // a signature, and what is wrong with it
}

// Statement is what the message says that it is for.
func (connecting) Statement() string { return statement }

// refusal says why nobody was signed in.
type refusal struct {
	phrase
	Account string // who should have signed; "" where that is not the point
}

// connect asks a visitor to sign in.
func (s *Site) connect(c connecting, status int) *view {
	c.Quota, c.Lookups = s.api.Quota(&store.Caller{}), s.config.Lookups
	if base, err := url.Parse(s.config.BaseURL); err == nil {
		c.Domain = base.Host
	}
	return &view{Page: "connect", Title: "Connect a wallet", Description: "Sign in with an Ethereum wallet to get a key and free calls every day.", Status: status, Wallet: true, Body: c}
}

// statement is what the message says that it is for.
const statement = "Sign in to Tocsin and get an API key. This moves no funds."

// challenge makes the message of EIP-4361 that a wallet is to sign, with a nonce
// of its own. It names the wallet's chain if wallets of that one may sign in,
// else the first of those that may: the account is the same.
func (s *Site) challenge(v *visit, wallet tocsin.Address, chain uint64) (string, error) {
	c, err := s.api.Challenge(v.Context(), front.Of(v.Context()).Network)
	if err != nil {
		return "", err
	}
	return c.Message(wallet, chain, statement, s.db.Now().Std()), nil
}

// message answers a script with what its wallet is to sign.
func (s *Site) message(v *visit) (*view, error) {
	wallet, fault := tocsin.ParseAddress(v.PostFormValue("address"))
	if fault != nil {
		return nil, fault
	}
	chain, _ := strconv.ParseUint(v.PostFormValue("chainId"), 0, 64) // wallets tell it as 0x2105, or not at all
	text, err := s.challenge(v, wallet, chain)
	return &view{Plain: text}, err
}

// byHand asks whoever has no wallet in the browser to sign elsewhere.
func (s *Site) byHand(v *visit) (*view, error) {
	c := connecting{Hand: true, Typed: strings.TrimSpace(v.PostFormValue("address"))}
	wallet, fault := tocsin.ParseAddress(c.Typed)
	switch {
	case secretive.MatchString(c.Typed), tocsin.FindSecret(tocsin.CleanText(c.Typed)) != nil:
		c.Typed, c.Mistyped = "", keepSecret
	case fault != nil:
		c.Mistyped = explain(fault)
		c.Typed = again(c.Typed)
	default:
		var err error
		c.Account = wallet.String()
		if c.Message, err = s.challenge(v, wallet, 0); err != nil {
			return nil, err
		}
		return s.connect(c, http.StatusOK), nil
	}
	return s.connect(c, http.StatusBadRequest), nil
}

// again makes what was typed fit to be shown once more: without a secret.
func again(typed string) string {
	if typed = tocsin.CleanText(typed); tocsin.FindSecret(typed) != nil {
		return ""
	}
	return tocsin.Shorten(typed, 301)
}

const keepSecret = "That looks like a private key or a recovery phrase. We kept nothing of it, and show it to nobody. Never give it to a web page, this one included."

var (
	// secretive is the form of what gives an account away: 32 bytes, or a dozen words.
	secretive = regexp.MustCompile(`^\s*(?:(?:0x)?[0-9a-fA-F]{64}|(?:[a-zA-Z]+[\s,]+){11,}[a-zA-Z]+)\s*$`)
	// hexadecimal is the form of a signature, which is longer than any secret.
	hexadecimal = regexp.MustCompile(`^0x([0-9a-fA-F]{2}){64,}$`)
	// bareSignature is one as some tools print it.
	bareSignature = regexp.MustCompile(`^[0-9a-fA-F]{130}$`)
)

// readSignature brings a signature into its form, or says why it is none.
func readSignature(pasted string) (signature, wrong string) {
	signature = strings.Join(strings.Fields(strings.Trim(pasted, "\"' \r\n\t")), "") // as tools and terminals wrap it
	if bareSignature.MatchString(signature) {
		signature = "0x" + signature
	}
	digits := strings.TrimPrefix(signature, "0x")
	switch {
	case hexadecimal.MatchString(signature):
		return signature, ""
	case signature == "":
		return "", "Paste here what your wallet answered when it signed the message."
	case secretive.MatchString(pasted) || secretive.MatchString(signature):
		return "", keepSecret
	case digits == signature:
		return again(pasted), "A signature begins with 0x. Paste all of what your wallet answered, and nothing else."
	}
	return again(pasted), fmt.Sprintf("A signature of a key has 130 digits after 0x, each from 0 to 9 or A to F; this has %s. Paste all of what your wallet answered.", plural(len(digits), "character"))
}

// signIn signs a visitor in who has proved an account. Whoever has no key gets
// one; a key that works is left alone: somebody who looks at the account from
// another browser must not stop a program.
func (s *Site) signIn(v *visit) (*view, error) {
	message := strings.ReplaceAll(v.PostFormValue("message"), "\r\n", "\n") // forms end their lines so
	hand := v.PostFormValue("by") == "hand"
	claimed, named := signerOf(message)
	signature, wrong := readSignature(v.PostFormValue("signature"))
	if hand && named && wrong != "" {
		return s.connect(connecting{Hand: true, Account: claimed.String(), Message: message, Pasted: signature, Unsigned: wrong}, http.StatusBadRequest), nil
	}
	wallet, err := s.api.Authenticate(v.Context(), front.Of(v.Context()).Network, message, signature)
	if err != nil {
		var fault *tocsin.Error
		if !errors.As(err, &fault) {
			return nil, err
		}
		// Sent twice, by a reload: the first time did it.
		if v.session != nil && named && v.session.Wallet == claimed {
			return &view{To: "/account"}, nil
		}
		c := connecting{Hand: hand, Trouble: refused(fault, claimed.String())}
		if hand && named {
			c.Account = claimed.String()
			if c.Message, err = s.challenge(v, claimed, 0); err != nil {
				return nil, err
			}
		}
		return s.connect(c, http.StatusBadRequest), nil
	}
	// Always a session of its own: one that somebody planted proves nothing.
	if v.session != nil {
		if err := s.db.EndSession(v.Context(), v.token); err != nil {
			return nil, err
		}
	}
	if v.token, err = s.db.NewSession(v.Context(), wallet, sessionLife); err != nil {
		return nil, err
	}
	s.setSession(v, v.token, int(sessionLife.Seconds()))
	if v.session, err = s.db.Session(v.Context(), v.token); err != nil {
		return nil, err
	}
	if v.session == nil || v.session.Caller != nil {
		return &view{To: "/account"}, nil
	}
	return s.renew(v)
}

// signerOf returns the account that a message says is to sign it.
func signerOf(message string) (tocsin.Address, bool) {
	lines := strings.SplitN(message, "\n", 3)
	if len(lines) < 2 {
		return tocsin.Address{}, false
	}
	account, fault := tocsin.ParseAddress(lines[1])
	return account, fault == nil
}

// refused says what is wrong with a sign-in, for people.
func refused(fault *tocsin.Error, account string) *refusal {
	var wrong tocsin.Fault
	if len(fault.Fields) > 0 {
		wrong = fault.Fields[0]
	}
	switch wrong.Field {
	case "message.nonce", "message.issuedAt", "message.expirationTime", "message.notBefore":
		return &refusal{phrase{"That message is no longer good.", "Each one can be used once, and for five minutes. Nothing has happened; sign a new one."}, ""}
	case "message.domain", "message.uri", "message.scheme":
		return &refusal{phrase{"That message is for another site.", "You are not signed in. If somebody else asked you to sign it, sign nothing more there."}, ""}
	case "signature":
		if strings.Contains(wrong.Reason, "ERC-1271") {
			return &refusal{phrase{"That is not the signature of this account’s key.", "You are not signed in. Another account signed it, or yours is a contract: " + tocsin.Sentence(wrong.Reason)}, account}
		}
		return &refusal{phrase{"Another account signed that.", "You are not signed in."}, account}
	}
	return &refusal{phrase{"The message was changed before it was signed.", "You are not signed in. Sign the exact text: " + tocsin.Sentence(wrong.Reason)}, ""}
}
