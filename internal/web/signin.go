package web

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/front"
	"tocsin/internal/locale"
)

// signInPage is the page for a visitor who is not signed in.
type signInPage struct {
	Quota, Lookups            int          // free calls a day with a key, and look-ups a day without one
	Domain                    string       // that the message to sign names
	Error                     *signInError // of the last attempt; nil for none
	Manual                    bool         // the visitor signs elsewhere, without a wallet in the browser
	Address, AddressError     string       // the address that was typed, and what is wrong with it
	Account, Message          string       // the account, and the message that it has to sign
	Next                      string       // the path to go on to; "" for the account
	List                      *bulkPage    // for the page of many, which is sent along; nil for none
	Says                      []walletText // what the script says
	Signature, SignatureError string       // the signature that was pasted, and what is wrong with it
	KeyError                  string       // what is wrong with the key that was pasted, which is not shown again
}

// Statement is the statement of the message to sign.
func (signInPage) Statement() string { return statement }

// signInError is why a sign-in failed.
type signInError struct {
	notice
	Account string // that should have signed; "" if the signature is not the reason
}

// signInPage completes the page that asks a visitor to sign in.
func (s *Site) signInPage(req *request, c signInPage, status int) *page {
	c.Next, c.List, c.Says = nextPath(req), s.carriedList(req), walletTexts
	c.Quota, c.Lookups = s.config.Quota, s.config.Limits.Lookups
	if base, err := url.Parse(s.config.BaseURL); err == nil {
		c.Domain = base.Host
	}
	return &page{
		Template:    "connect",
		Title:       req.lang.Text("Connect a wallet"),
		Description: req.lang.Text("Sign in with an Ethereum wallet to get a key and free calls every day."),
		Status:      status,
		Wallet:      true,
		Heavy:       c.List != nil,
		Body:        c,
	}
}

// statement tells the owner of a wallet what the signature is for (EIP-4361).
const statement = "Sign in to Tocsin and get an API key. This moves no funds."

// challenge makes a message for a wallet to sign (EIP-4361), with a new nonce. It names
// the wallet's chain if sign-in is possible on that chain, otherwise the first chain where
// it is: the account is the same on all of them.
func (s *Site) challenge(req *request, wallet tocsin.Address, chain uint64) (string, error) {
	c, err := s.api.Challenge(req.Context(), front.Of(req.Context()).Network())
	if err != nil {
		return "", err
	}
	return c.Message(wallet, chain, statement, s.db.Now().Std()), nil
}

// message returns the message to sign as text, for the script that asks a wallet.
func (s *Site) message(req *request) (*page, error) {
	wallet, fault := tocsin.ParseAddress(req.PostFormValue("address"))
	if fault != nil {
		return nil, fault
	}
	chain, _ := strconv.ParseUint(req.PostFormValue("chainId"), 0, 64) // 0x2105; without it, 0
	text, err := s.challenge(req, wallet, chain)
	if later := (*api.Later)(nil); errors.As(err, &later) { // the script says so, in words of the page
		req.header.Set("Retry-After", later.RetryAfter())
		return &page{Status: http.StatusTooManyRequests, Text: req.lang.Span(later.Wait)}, nil
	}
	return &page{Text: text}, err
}

// signManually shows the message to visitors without a wallet in the browser.
func (s *Site) signManually(req *request) (*page, error) {
	c := signInPage{Manual: true, Address: strings.TrimSpace(req.PostFormValue("address"))}
	wallet, fault := tocsin.ParseAddress(c.Address)
	switch {
	case secretForm.MatchString(c.Address), tocsin.FindSecret(tocsin.CleanText(c.Address)) != nil:
		c.Address, c.AddressError = "", req.lang.Text(secretText)
	case fault != nil:
		c.AddressError = req.lang.Text("This is no address of an Ethereum account: 0x and 40 digits from 0 to 9 and A to F.")
		if _, fault := tocsin.ParseAddress(strings.ToLower(c.Address)); fault == nil {
			c.AddressError = req.lang.Text("A digit may be mistyped: capital letters of an address are a checksum, and these " +
				"do not add up. Copy it again from your wallet.")
		}
		c.Address = redisplay(c.Address)
	default:
		var err error
		c.Account = wallet.String()
		if c.Message, err = s.challenge(req, wallet, 0); err != nil {
			return nil, err
		}
		return s.signInPage(req, c, http.StatusOK), nil
	}
	return s.signInPage(req, c, http.StatusBadRequest), nil
}

// redisplay returns what was typed, for a form that is shown again: shortened, and
// without a secret.
func redisplay(typed string) string {
	if typed = tocsin.CleanText(typed); tocsin.FindSecret(typed) != nil {
		return ""
	}
	return tocsin.Shorten(typed, 301)
}

const secretText = "That looks like a private key or a recovery phrase. " +
	"We kept nothing of it, and show it to nobody. Never give it to a web page, this one included."

var (
	// secretForm matches a private key, or a dozen words.
	secretForm = regexp.MustCompile(`^\s*(?:(?:0x)?[0-9a-fA-F]{64}|(?:[a-zA-Z]+[\s,]+){11,}[a-zA-Z]+)\s*$`)
	// signatureForm matches a signature, which is longer than any secret.
	signatureForm = regexp.MustCompile(`^0x([0-9a-fA-F]{2}){64,}$`)
	// bareSignature matches a signature without 0x, as some tools print it.
	bareSignature = regexp.MustCompile(`^[0-9a-fA-F]{130}$`)
)

// parseSignature returns a signature as 0x and its digits, or what is wrong with it.
func parseSignature(p *locale.Printer, pasted string) (signature, wrong string) {
	signature = strings.Join(strings.Fields(strings.Trim(pasted, "\"' \r\n\t")), "") // as tools and terminals wrap it
	if bareSignature.MatchString(signature) {
		signature = "0x" + signature
	}
	digits := strings.TrimPrefix(signature, "0x")
	switch {
	case signatureForm.MatchString(signature):
		return signature, ""
	case signature == "":
		return "", p.Text("Paste here what your wallet answered when it signed the message.")
	case secretForm.MatchString(pasted) || secretForm.MatchString(signature):
		return "", p.Text(secretText)
	case digits == signature:
		return redisplay(pasted), p.Text("A signature begins with 0x. " +
			"Paste all of what your wallet answered, and nothing else.")
	}
	return redisplay(pasted), p.Text("A signature of a key has 130 digits after 0x, each from 0 to 9 or A to F; "+
		"this has %d characters. Paste all of what your wallet answered.", len(digits))
}

// signIn signs in the visitor whose account signed the message. An account without a key
// gets one. A key that exists is kept: signing in from another browser must not stop the
// programs that use it.
func (s *Site) signIn(req *request) (*page, error) {
	message := strings.ReplaceAll(req.PostFormValue("message"), "\r\n", "\n") // as forms end lines
	hand := req.PostFormValue("by") == "hand"
	claimed, named := signerIn(message)
	signature, wrong := parseSignature(req.lang, req.PostFormValue("signature"))
	if hand && named && wrong != "" {
		return s.signInPage(req, signInPage{
			Manual:         true,
			Account:        claimed.String(),
			Message:        message,
			Signature:      signature,
			SignatureError: wrong,
		}, http.StatusBadRequest), nil
	}
	wallet, err := s.api.Authenticate(req.Context(), front.Of(req.Context()).Network(), message, signature)
	if err != nil {
		var fault *tocsin.Error
		if !errors.As(err, &fault) {
			return nil, err
		}
		// The form was sent again by a reload, and the first time succeeded.
		if req.session != nil && named && req.session.Wallet != nil && *req.session.Wallet == claimed {
			return &page{Location: "/account"}, nil
		}
		c := signInPage{Manual: hand, Error: newSignInError(req.lang, fault, claimed.String())}
		if hand && named {
			c.Account = claimed.String()
			if c.Message, err = s.challenge(req, claimed, 0); err != nil {
				return nil, err
			}
			c.Error.Text = req.lang.Sentences(c.Error.Text,
				req.lang.Text("Sign the new text below; the old one no longer counts."))
		}
		return s.signInPage(req, c, http.StatusBadRequest), nil
	}
	token, err := s.db.NewSession(req.Context(), wallet, sessionLife)
	if err != nil {
		return nil, err
	}
	if err := s.beginSession(req, token); err != nil {
		return nil, err
	}
	if req.session != nil && req.session.Caller != nil && s.carriedList(req) != nil {
		return s.sendList(req, false)
	}
	if req.session == nil || req.session.Caller != nil {
		return &page{Location: cmp.Or(nextPath(req), "/account")}, nil
	}
	return s.renew(req)
}

// nextPath is the path of ours where the visitor wants to go on after signing in; "" for none.
func nextPath(req *request) string { return ownPath(req.FormValue("next")) }

// signerIn returns the account that a message names as its signer.
func signerIn(message string) (tocsin.Address, bool) {
	lines := strings.SplitN(message, "\n", 3)
	if len(lines) < 2 {
		return tocsin.Address{}, false
	}
	account, fault := tocsin.ParseAddress(lines[1])
	return account, fault == nil
}

// newSignInError describes the fault of a sign-in for an account.
func newSignInError(p *locale.Printer, fault *tocsin.Error, account string) *signInError {
	var wrong tocsin.Fault
	if len(fault.Fields) > 0 {
		wrong = fault.Fields[0]
	}
	var e signInError
	switch wrong.Field {
	case "message.nonce", "message.issuedAt", "message.expirationTime", "message.notBefore":
		e.Title = p.Text("That message is no longer good.")
		e.Text = p.Text("Each one can be used once, and for five minutes. Nothing has happened; sign a new one.")
	case "message.domain", "message.uri", "message.scheme":
		e.Title = p.Text("That message is for another site.")
		e.Text = p.Text("You are not signed in. If somebody else asked you to sign it, sign nothing more there.")
	case "signature":
		e.Account = account
		e.Title, e.Text = p.Text("Another account signed that."), p.Text("You are not signed in.")
		if strings.Contains(wrong.Reason, "ERC-1271") {
			e.Title = p.Text("That is not the signature of this account’s key.")
			e.Text = p.Text("You are not signed in. Another account signed it, or yours is a contract, whose " +
				"signatures we cannot check here.")
		}
	default:
		e.Title = p.Text("The message was changed before it was signed.")
		e.Text = p.Text("You are not signed in. Sign the exact text.")
	}
	return &e
}
