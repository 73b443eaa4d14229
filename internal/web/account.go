package web

import (
	"net/http"

	"tocsin"
	"tocsin/internal/store"
)

// holding is what the page shows to a visitor who is signed in.
type accountPage struct {
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
	Reports     []reportRow
	More        bool // there are older ones
}

// maxTicks is how many calls are shown one by one.
const maxTicks = 30

// Ticks are the calls of today, true for used ones; none where they are too many.
func (h accountPage) Ticks() []bool {
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
func (h accountPage) Rank() string {
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
const maxOwnReports = 20

// hold reads what is known of who is signed in.
func (s *Site) loadAccount(req *request) (h accountPage, err error) {
	h.Address, h.Key, h.Payments = req.session.Wallet.String(), req.session.Caller, s.api.Payments().Enabled
	if h.Numbers, err = s.db.Account(req.Context(), req.session.Agent); err != nil {
		return h, err
	}
	if h.Key != nil {
		h.Quota = s.api.Quota(h.Key)
		h.Left = max(0, h.Quota-h.Numbers.Used)
	}
	h.Midnight = s.api.Midnight()
	h.Until = ago(h.Midnight.Std().Sub(s.db.Now().Std()))
	own, err := s.db.Reports(req.Context(), store.Filter{Agent: req.session.Agent.ID, Page: store.Page{Limit: maxOwnReports}})
	h.Reports, h.More = reportRows(own.Reports, true), own.NextCursor != ""
	return h, err
}

func (h accountPage) page() *page {
	return &page{Template: "account", Title: "Account", Description: "Your wallet, your key and today’s calls.", Body: h}
}

// account shows somebody's own numbers, or how to sign in.
func (s *Site) account(req *request) (*page, error) {
	if req.session == nil {
		return s.signInPage(signInPage{}, http.StatusOK), nil
	}
	h, err := s.loadAccount(req)
	return h.page(), err
}

// toAccount sends whoever comes back to the answer of a sign-in to what it is about.
func (s *Site) toAccount(*request) (*page, error) { return &page{Location: "/account"}, nil }

// renew makes a key and shows it, once.
func (s *Site) renew(req *request) (*page, error) {
	replaced := req.session.Caller != nil
	if live := req.session.Caller; replaced {
		if err := s.db.Revoke(req.Context(), live, req.token); err != nil { // and other browsers' sessions with it
			return nil, err
		}
	}
	made, err := s.db.RenewKey(req.Context(), req.session.Wallet)
	if err != nil {
		return nil, err
	}
	if req.session, err = s.db.Session(req.Context(), req.token); err != nil {
		return nil, err
	}
	if req.session == nil {
		return &page{Location: "/account"}, nil // signed out elsewhere meanwhile
	}
	h, err := s.loadAccount(req)
	if err != nil {
		return nil, err
	}
	h.NewKey, h.Replaced = made.Key, replaced
	p := h.page()
	p.Secret = true
	return p, nil
}

// changeAccount replaces or revokes the key, or signs out. A form names the key
// that it is about: sent again, or from a page that is out of date, it does
// nothing. What cannot be undone is asked about once more.
func (s *Site) changeAccount(req *request) (*page, error) {
	what := req.PostFormValue("do")
	if req.session == nil {
		if what == "" {
			return s.signManually(req)
		}
		return s.signInPage(signInPage{Error: &signInError{message{"You are not signed in any more.", "Nothing was changed. Sign in again, and try once more."}, ""}}, http.StatusForbidden), nil
	}
	live, prefix := req.session.Caller, ""
	if live != nil {
		prefix = live.Prefix
	}
	back := &page{Location: "/account"}
	switch {
	case what == "signout":
		if err := s.db.EndSession(req.Context(), req.token); err != nil {
			return nil, err
		}
		s.setSession(req, "", -1)
		return back, nil
	case what != "replace" && what != "revoke", req.PostFormValue("key") != prefix:
		return back, nil
	case live != nil && req.PostFormValue("confirm") != "yes":
		h := accountPage{Ask: what, Key: live}
		p := h.page()
		p.Title = "Revoke your key?"
		if what == "replace" {
			p.Title = "Replace your key?"
		}
		return p, nil
	case what == "replace":
		return s.renew(req)
	case live != nil:
		return back, s.db.Revoke(req.Context(), live, req.token)
	}
	return back, nil
}
