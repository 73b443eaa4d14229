package web

import (
	"net/http"

	"tocsin"
	"tocsin/internal/store"
)

// holding is what the page shows to a visitor who is signed in.
type holding struct {
	Address     string
	NewKey      tocsin.Key // just made; "" else
	Replaced    bool       // by it another key was
	Ask         string     // what is asked about once more: "replace" or "revoke"
	Key         *store.Caller
	Numbers     store.Account
	Quota, Left int
	Midnight    tocsin.Time
	Until       string
	Payments    bool
	Reports     []entry
	More        bool // there are older ones
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
	h.Address, h.Key, h.Payments = v.session.Wallet.String(), v.session.Caller, s.api.Payments().Enabled
	if h.Numbers, err = s.db.Account(v.Context(), v.session.Agent); err != nil {
		return h, err
	}
	if h.Key != nil {
		h.Quota = s.api.Quota(h.Key)
		h.Left = max(0, h.Quota-h.Numbers.Used)
	}
	h.Midnight = s.api.Midnight()
	h.Until = ago(h.Midnight.Std().Sub(s.db.Now().Std()))
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
	replaced := v.session.Caller != nil
	if live := v.session.Caller; replaced {
		if err := s.db.Revoke(v.Context(), live, v.token); err != nil { // and other browsers' sessions with it
			return nil, err
		}
	}
	made, err := s.db.RenewKey(v.Context(), v.session.Wallet)
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
	h.NewKey, h.Replaced = made.Key, replaced
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
		return back, s.db.Revoke(v.Context(), live, v.token)
	}
	return back, nil
}
