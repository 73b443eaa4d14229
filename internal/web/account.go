package web

import (
	"net/http"

	"tocsin"
	"tocsin/internal/locale"
	"tocsin/internal/store"
)

// accountPage is the page for a visitor who is signed in.
type accountPage struct {
	Address     string        // of the wallet; "" for who signed in with a key
	NewKey      tocsin.Key    // that was just made; "" for none
	FirstCall   string        // the command of the quick start, which reads NewKey from TOCSIN_KEY
	Next        string        // the path to go on to after NewKey; "" for none
	List        *bulkPage     // to go on with after NewKey, on the page of many; nil for none
	Replaced    bool          // NewKey replaced another key
	Ask         string        // the change to confirm: "replace", "revoke" or ""
	Key         *store.Caller // nil for none
	Numbers     store.Account
	Quota, Left int         // free calls a day, and those left today
	Why         string      // no call is left though the key has some
	Midnight    tocsin.Time // when the calls of today end
	Until       string      // the time until then
	Payments    bool        // the service accepts payments
	Reports     []reportRow
	More        bool // there are older reports
}

// maxTicks is the highest quota of which each call is drawn.
const maxTicks = 30

// Ticks are the free calls of today, true for those that were used; none if they are too
// many to draw.
func (a accountPage) Ticks() []bool {
	if a.Quota > maxTicks {
		return nil
	}
	ticks := make([]bool, a.Quota)
	for i := range ticks {
		ticks[i] = i < a.Numbers.Used
	}
	return ticks
}

// maxOwnReports is how many of the account's reports are shown.
const maxOwnReports = 20

// loadAccount reads the data of the account that is signed in.
func (s *Site) loadAccount(req *request) (a accountPage, err error) {
	if w := req.session.Wallet; w != nil {
		a.Address = w.String()
	}
	a.Key, a.Payments = req.session.Caller, s.api.Payments().Enabled
	if a.Numbers, err = s.db.Account(req.Context(), req.session.Agent); err != nil {
		return a, err
	}
	if a.Key != nil {
		a.Quota = s.api.Quota(a.Key)
		a.Left, a.Why = s.freeLeft(req, a.Key, a.Numbers.Used)
	}
	a.Midnight = s.api.Midnight()
	a.Until = req.lang.Span(a.Midnight.Std().Sub(s.db.Now().Std()))
	filter := store.Filter{Agent: req.session.Agent.ID, Page: store.Page{Limit: maxOwnReports}}
	own, err := s.db.Reports(req.Context(), filter)
	a.Reports, a.More = reportRows(req.lang, own.Reports, true), own.NextCursor != ""
	return a, err
}

// freeLeft returns how many calls a caller who has used some has left today, and why there is none though the key has
// some.
func (s *Site) freeLeft(req *request, caller *store.Caller, used int) (left int, why string) {
	left, why = s.api.FreeLeft(req.Context(), caller, used)
	if why != "" {
		why = req.lang.Text("The %d free calls of today of all keys from your network are used up; new ones come at "+
			"midnight UTC.", s.config.Limits.NetworkCalls)
	}
	return left, why
}

func (a accountPage) page(p *locale.Printer) *page {
	return &page{
		Template:    "account",
		Title:       p.Text("Account"),
		Description: p.Text("Your wallet, your key and today’s calls."),
		Body:        a,
	}
}

// account shows the account, or how to sign in.
func (s *Site) account(req *request) (*page, error) {
	if req.session == nil {
		return s.signInPage(req, signInPage{}, http.StatusOK), nil
	}
	a, err := s.loadAccount(req)
	return a.page(req.lang), err
}

// toAccount redirects a reload of the page that answered a sign-in.
func (s *Site) toAccount(*request) (*page, error) { return &page{Location: "/account"}, nil }

// renew makes a key and shows it. An earlier key stops working.
func (s *Site) renew(req *request) (*page, error) {
	replaced := req.session.Caller != nil
	if live := req.session.Caller; replaced {
		if err := s.db.Revoke(req.Context(), live, req.token); err != nil { // and the sessions of other browsers
			return nil, err
		}
	}
	made, err := s.db.RenewKey(req.Context(), *req.session.Wallet)
	if err != nil {
		return nil, err
	}
	if req.session, err = s.db.Session(req.Context(), req.token); err != nil {
		return nil, err
	}
	if req.session == nil {
		return &page{Location: "/account"}, nil // it ended meanwhile
	}
	a, err := s.loadAccount(req)
	if err != nil {
		return nil, err
	}
	a.NewKey, a.Replaced, a.Next, a.List = made.Key, replaced, nextPath(req), s.carriedList(req)
	pages, _ := s.manual()
	a.FirstCall = pages[""].Operation.Programs[0].Text()
	p := a.page(req.lang)
	p.Secret = true
	return p, nil
}

// changeAccount replaces or revokes the key, or signs out. The form names the key, so that
// a form that is sent twice, or from a stale page, changes nothing. Replacing and revoking
// have to be confirmed.
func (s *Site) changeAccount(req *request) (*page, error) {
	what := req.PostFormValue("do")
	if req.session == nil {
		switch what {
		case "":
			return s.signManually(req)
		case "connect":
			return s.signInPage(req, signInPage{}, http.StatusOK), nil
		}
		return s.signInPage(
			req,
			signInPage{
				Error: &signInError{
					notice{
						req.lang.Text("You are not signed in any more."),
						req.lang.Text("Nothing was changed. Sign in again, and try once more."),
					},
					"",
				},
			},
			http.StatusForbidden,
		), nil
	}
	live, prefix := req.session.Caller, ""
	if live != nil {
		prefix = live.Prefix
	}
	back := &page{Location: "/account"}
	switch {
	case what == "connect" && live == nil:
		return s.renew(req)
	case what == "connect": // signed in meanwhile, in another tab
		return s.sendList(req, false)
	case what == "signout":
		if err := s.db.EndSession(req.Context(), req.token); err != nil {
			return nil, err
		}
		s.setSession(req, "", -1)
		return back, nil
	case req.session.Wallet == nil: // who has only the key may use it; it is not theirs to replace
		return back, nil
	case what != "replace" && what != "revoke", req.PostFormValue("key") != prefix:
		return back, nil
	case live != nil && req.PostFormValue("confirm") != "yes":
		a := accountPage{Ask: what, Key: live}
		p := a.page(req.lang)
		p.Title = req.lang.Text("Revoke your key?")
		if what == "replace" {
			p.Title = req.lang.Text("Replace your key?")
		}
		return p, nil
	case what == "replace":
		return s.renew(req)
	case live != nil:
		return back, s.db.Revoke(req.Context(), live, req.token)
	}
	return back, nil
}
