package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"tocsin"
	"tocsin/internal/store"
)

// sessionLife is how long somebody stays signed in.
const sessionLife = 7 * 24 * time.Hour

// sessionCookie names the cookie of who is signed in. Over https its name binds
// it to this host and to secure connections (RFC 6265bis, 4.1.3.2).
func (s *Site) sessionCookie() string {
	if s.secure {
		return "__Host-session"
	}
	return "session"
}

// recognize finds out who is signed in.
func (s *Site) recognize(v *visit) error {
	c, err := v.Cookie(s.sessionCookie())
	if err != nil {
		return nil
	}
	v.token = c.Value
	v.session, err = s.db.Session(v.Context(), c.Value)
	return err
}

// setSession hands the browser its session, or with age -1 takes it away.
func (s *Site) setSession(v *visit, token string, age int) {
	c := http.Cookie{Name: s.sessionCookie(), Value: token, Path: "/", MaxAge: age, HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode}
	v.header.Add("Set-Cookie", c.String())
}

// wallet is who is signed in.
func (v *visit) wallet() (tocsin.Address, error) {
	if v.session.Agent.Address == nil {
		return tocsin.Address{}, errors.New("a session of an agent without a wallet")
	}
	wallet, fault := tocsin.ParseAddress(*v.session.Agent.Address)
	if fault != nil {
		return wallet, fmt.Errorf("the wallet of a session: %w", fault)
	}
	return wallet, nil
}

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

const (
	statement = "Sign in to Tocsin and get an API key. This moves no funds."
	// signedAt is how wallets' libraries write a time.
	signedAt = "2006-01-02T15:04:05.000Z"
)

// challenge makes the message of EIP-4361 that a wallet is to sign, with a nonce
// of its own. It names the wallet's chain if wallets of that one may sign in,
// else the first of those that may: the account is the same.
func (s *Site) challenge(v *visit, wallet tocsin.Address, chain uint64) (string, error) {
	c, err := s.api.Challenge(v.Context(), s.api.Remote(v.Request))
	if err != nil {
		return "", err
	}
	if !slices.Contains(c.ChainIDs, chain) {
		chain = c.ChainIDs[0]
	}
	return fmt.Sprintf("%s wants you to sign in with your Ethereum account:\n%s\n\n%s\n\nURI: %s\nVersion: 1\nChain ID: %d\nNonce: %s\nIssued At: %s\nExpiration Time: %s",
		c.Domain, wallet, statement, c.URI, chain, c.Nonce, s.db.Now().Std().Format(signedAt), c.ExpiresAt.Std().Format(signedAt)), nil
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
	case secretive.MatchString(c.Typed):
		c.Typed, c.Mistyped = "", keepSecret
	case fault != nil:
		wrong := tocsin.Fault{Reason: fault.Detail}
		if len(fault.Fields) > 0 {
			wrong = fault.Fields[0]
		}
		c.Mistyped = sentence(wrong.Reason) + " " + sentence(wrong.Fix)
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

// again makes what was typed fit to be shown once more.
func again(typed string) string {
	return tocsin.CleanText(strings.ToValidUTF8(typed[:min(len(typed), 300)], ""))
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
	wallet, err := s.api.Authenticate(v.Context(), s.api.Remote(v.Request), message, signature)
	if err != nil {
		var fault *tocsin.Error
		if !errors.As(err, &fault) {
			return nil, err
		}
		// Sent twice, by a reload: the first time did it.
		if v.session != nil && named && v.session.Agent.Address != nil && *v.session.Agent.Address == claimed.String() {
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
		return &refusal{phrase{"Another account signed that.", "You are not signed in."}, account}
	}
	return &refusal{phrase{"The message was changed before it was signed.", "You are not signed in. Sign the exact text: " + sentence(wrong.Reason)}, ""}
}

// holding is what the page shows to a visitor who is signed in.
type holding struct {
	Address                string
	NewKey                 tocsin.Key // just made; "" else
	Replaced               bool       // by it another key was
	Ask                    string     // what is asked about once more: "replace" or "revoke"
	Key                    *store.Caller
	Numbers                store.Account
	Confirmed, Quota, Left int
	Midnight               tocsin.Time
	Until                  string
	Payments               bool
	Reports                []entry
	More                   bool // there are older ones
}

// maxTicks is how many calls are shown one by one.
const maxTicks = 30

// Ticks are the calls of today, true for used ones; none where they are too many.
func (h holding) Ticks() []bool {
	if h.Quota > maxTicks {
		return nil
	}
	ticks := make([]bool, h.Quota)
	for i := range ticks {
		ticks[i] = i < h.Quota-h.Left
	}
	return ticks
}

// Rank is the place on the leaderboard, as people say it.
func (h holding) Rank() string {
	n := h.Numbers.Rank
	ending := "th"
	if tens := n % 100; tens < 11 || tens > 13 {
		switch n % 10 {
		case 1:
			ending = "st"
		case 2:
			ending = "nd"
		case 3:
			ending = "rd"
		}
	}
	return number(n) + ending
}

// ownReports is how many of their newest reports somebody sees.
const ownReports = 20

// hold reads what is known of who is signed in.
func (s *Site) hold(v *visit) (h holding, err error) {
	wallet, err := v.wallet()
	if err != nil {
		return h, err
	}
	h.Address, h.Key, h.Payments = wallet.String(), v.session.Caller, s.api.Payments().Enabled
	if h.Key != nil {
		if h.Numbers, err = s.db.Account(v.Context(), h.Key); err != nil {
			return h, err
		}
		h.Quota = s.api.Quota(h.Key)
		h.Left = max(0, h.Quota-h.Numbers.Used)
	}
	board, err := s.db.Leaderboard(v.Context())
	if err != nil {
		return h, err
	}
	for _, r := range board {
		if r.ID == v.session.Agent.ID {
			h.Confirmed = r.Corroborated
		}
	}
	now := s.db.Now().Std()
	midnight := now.Truncate(24 * time.Hour).Add(24 * time.Hour)
	h.Midnight, h.Until = tocsin.TimeOf(midnight), ago(midnight.Sub(now))
	own, err := s.db.Reports(v.Context(), store.Filter{Agent: v.session.Agent.ID, Page: store.Page{Limit: ownReports}})
	h.Reports, h.More = entries(own.Reports, true), own.NextCursor != ""
	return h, err
}

func (h holding) view() *view {
	return &view{Page: "account", Title: "Account", Description: "Your wallet, your key and today’s calls.", Body: h}
}

// account shows somebody's own numbers, or how to sign in.
func (s *Site) account(v *visit) (*view, error) {
	if v.session == nil {
		return s.connect(connecting{}, http.StatusOK), nil
	}
	h, err := s.hold(v)
	return h.view(), err
}

// toAccount sends whoever comes back to the answer of a sign-in to what it is about.
func (s *Site) toAccount(*visit) (*view, error) { return &view{To: "/account"}, nil }

// renew makes a key and shows it, once.
func (s *Site) renew(v *visit) (*view, error) {
	wallet, err := v.wallet()
	if err != nil {
		return nil, err
	}
	made, err := s.db.RenewKey(v.Context(), wallet)
	if err != nil {
		return nil, err
	}
	if v.session, err = s.db.Session(v.Context(), v.token); err != nil {
		return nil, err
	}
	if v.session == nil {
		return &view{To: "/account"}, nil // signed out elsewhere meanwhile
	}
	h, err := s.hold(v)
	if err != nil {
		return nil, err
	}
	h.NewKey, h.Replaced = made.Key, made.Replaced > 0
	shown := h.view()
	shown.Secret = true
	return shown, nil
}

// changeAccount replaces or revokes the key, or signs out. A form names the key
// that it is about: sent again, or from a page that is out of date, it does
// nothing. What cannot be undone is asked about once more.
func (s *Site) changeAccount(v *visit) (*view, error) {
	what := v.PostFormValue("do")
	if v.session == nil {
		if what == "" {
			return s.byHand(v)
		}
		return s.connect(connecting{Trouble: &refusal{phrase{"You are not signed in any more.", "Nothing was changed. Sign in again, and try once more."}, ""}}, http.StatusForbidden), nil
	}
	live, prefix := v.session.Caller, ""
	if live != nil {
		prefix = live.Prefix
	}
	back := &view{To: "/account"}
	switch {
	case what == "signout":
		if err := s.db.EndSession(v.Context(), v.token); err != nil {
			return nil, err
		}
		s.setSession(v, "", -1)
		return back, nil
	case what != "replace" && what != "revoke", v.PostFormValue("key") != prefix:
		return back, nil
	case live != nil && v.PostFormValue("confirm") != "yes":
		h := holding{Ask: what, Key: live}
		shown := h.view()
		shown.Title = "Revoke your key?"
		if what == "replace" {
			shown.Title = "Replace your key?"
		}
		return shown, nil
	case what == "replace":
		return s.renew(v)
	case live != nil:
		return back, s.db.Revoke(v.Context(), live)
	}
	return back, nil
}
