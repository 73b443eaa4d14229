package api

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"tocsin"
	"tocsin/internal/x402"
)

// now is the moment by which a call is judged.
func (s *Server) now() time.Time { return s.db.Now().Std() }

// Midnight is when new free calls come: the next one of UTC.
func (s *Server) Midnight() tocsin.Time {
	return tocsin.TimeOf(s.now().Truncate(24 * time.Hour).Add(24 * time.Hour))
}

// meAnswer is the schema Me.
type meAnswer struct {
	Authenticated   bool          `json:"authenticated"`
	Agent           *tocsin.Agent `json:"agent"`
	APICallCount    int           `json:"apiCallCount"`
	ReportCount     int           `json:"reportCount"`
	LeaderboardRank *int          `json:"leaderboardRank"`
	FreeCalls       *freeCalls    `json:"freeCalls"`
	Help            *string       `json:"help"`
}

type freeCalls struct {
	Limit     int         `json:"limit"`
	Used      int         `json:"used"`
	Remaining int         `json:"remaining"`
	ResetsAt  tocsin.Time `json:"resetsAt"`
}

func (s *Server) me(c *call) (any, error) {
	caller, err := s.caller(c.Request)
	if err != nil {
		return nil, err
	}
	if caller == nil {
		help := "Send a live key in the header x-api-key, or as Authorization: Bearer. A key is free: " +
			"sign in with an Ethereum account at " + s.config.BaseURL + "/account, or without a browser by " +
			s.contract.Base + "/auth/nonce and " + s.contract.Base + "/auth/verify."
		if c.tool.isLocal() {
			help = "You ask a database on your own machine: calls are not counted, and nobody needs a key."
		} else if wrong := deadKey(c.Header); wrong != "" {
			help = wrong + ". " + help
		}
		return meAnswer{Help: &help}, nil
	}
	account, err := s.db.Account(c.Context(), caller.Agent)
	if err != nil {
		return nil, err
	}
	answer := meAnswer{
		Authenticated: true,
		Agent:         &caller.Agent,
		APICallCount:  account.Calls,
		ReportCount:   account.Reports,
	}
	if account.Rank > 0 {
		answer.LeaderboardRank = &account.Rank
	}
	left, why := s.FreeLeft(c.Context(), caller, account.Used)
	answer.FreeCalls = &freeCalls{
		Limit:     s.Quota(caller),
		Used:      account.Used,
		Remaining: left,
		ResetsAt:  s.Midnight(),
	}
	if why != "" {
		answer.Help = &why
	}
	return answer, nil
}

// board is the schema Leaderboard.
type board struct {
	Count  int     `json:"count"`
	Agents []place `json:"agents"`
}

type place struct {
	Rank int `json:"rank"`
	tocsin.Reporter
	CorroboratedReports int `json:"corroboratedReports"`
	ReportCount         int `json:"reportCount"`
}

func (s *Server) leaderboard(c *call) (any, error) {
	ranks, err := s.db.Leaderboard(c.Context())
	if err != nil {
		return nil, err
	}
	ranks = ranks[:min(len(ranks), c.input.Number("limit"))]
	b := board{len(ranks), make([]place, len(ranks))}
	for i, r := range ranks {
		b.Agents[i] = place{
			Rank:                i + 1,
			Reporter:            r.Reporter,
			CorroboratedReports: r.Corroborated,
			ReportCount:         r.Reports,
		}
	}
	return b, nil
}

// Filing returns from whom reports are taken, as it was at most a second ago. While that cannot be read it is
// [tocsin.FilingOpen]: what is filed then is refused for another reason.
func (s *Server) Filing(ctx context.Context) tocsin.FilingState {
	st, err := s.db.Stats(ctx)
	if err != nil {
		return tocsin.FilingOpen
	}
	return st.Filing
}

// numbers is the schema Stats.
type numbers struct {
	Reports  int           `json:"reports"`
	Subjects int           `json:"subjects"`
	Lists    []listNumbers `json:"lists"`
	AsOf     tocsin.Time   `json:"asOf"`
}

type listNumbers struct {
	Name       string       `json:"name"`
	URL        string       `json:"url"`
	Listings   int          `json:"listings"`
	Reports    int          `json:"reports"`
	ImportedAt tocsin.Time  `json:"importedAt"`
	ListDate   *tocsin.Time `json:"listDate"`
	AgeSeconds int          `json:"ageSeconds"`
	OutOfDate  bool         `json:"outOfDate"`
}

func (s *Server) stats(c *call) (any, error) {
	st, err := s.db.Stats(c.Context())
	if err != nil {
		return nil, err
	}
	n := numbers{
		Reports:  st.Reports,
		Subjects: st.Subjects,
		Lists:    make([]listNumbers, len(st.Lists)),
		AsOf:     st.AsOf,
	}
	for i, l := range st.Lists {
		age := s.now().Sub(l.AsOf().Std())
		n.Lists[i] = listNumbers{
			Name:       l.Name,
			URL:        l.URL,
			Listings:   l.Listings,
			Reports:    l.Reports,
			ImportedAt: l.Imported,
			ListDate:   l.Version.Date,
			AgeSeconds: max(0, int(age.Seconds())),
			OutOfDate:  l.OutOfDate(s.db.Now()),
		}
	}
	return n, nil
}

// PaymentStatus says how the service is paid, and whether that works at the
// moment: the schema PaymentStatus.
type PaymentStatus struct {
	Enabled     bool               `json:"enabled"`
	X402Version int                `json:"x402Version"`
	Networks    []NetworkStatus    `json:"networks"`
	Facilitator *FacilitatorStatus `json:"facilitator"`
	AsOf        tocsin.Time        `json:"asOf"`
}

// NetworkStatus is one network on which payments are taken.
type NetworkStatus struct {
	Network  string  `json:"network"`
	Name     string  `json:"name"`
	Asset    string  `json:"asset"`
	PayTo    string  `json:"payTo"`
	Offered  bool    `json:"offered"`
	Settles  *bool   `json:"settles"`
	FeePayer *string `json:"feePayer"`
}

// FacilitatorStatus is whether the facilitator can be reached.
type FacilitatorStatus struct {
	URL       string       `json:"url"`
	Reachable *bool        `json:"reachable"`
	AsOf      *tocsin.Time `json:"asOf"`
}

// paymentStatus answers what may be kept for as long as the facilitator is not
// asked again. Its ETag is weak: the moment of the answer is no part of it.
func (s *Server) paymentStatus(c *call) (any, error) {
	status := s.Payments()
	same := status
	same.AsOf = tocsin.Time{}
	if f := status.Facilitator; f != nil {
		same.Facilitator = &FacilitatorStatus{URL: f.URL, Reachable: f.Reachable}
	}
	text, err := json.Marshal(same)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	tag := fmt.Sprintf(`W/"%x"`, sum[:16])
	c.responseHeader.Set("ETag", tag)
	c.responseHeader.Set("Cache-Control", "public, max-age=10")
	for known := range strings.SplitSeq(c.Header.Get("If-None-Match"), ",") {
		known = strings.TrimSpace(known)
		if known == "*" || strings.TrimPrefix(known, "W/") == strings.TrimPrefix(tag, "W/") { // RFC 9110, 13.1.2
			return unchanged{}, nil
		}
	}
	return status, nil
}

// Payments returns how the service is paid. It does not ask the facilitator.
func (s *Server) Payments() PaymentStatus {
	p := s.config.Payments
	status := PaymentStatus{Enabled: p.taken(), X402Version: x402.Version, Networks: []NetworkStatus{}, AsOf: s.db.Now()}
	if !status.Enabled {
		return status
	}
	health := p.Facilitator.Health()
	status.Facilitator = &FacilitatorStatus{URL: p.Facilitator.Origin()}
	if health.Known {
		at := tocsin.TimeOf(health.At)
		status.Facilitator.Reachable, status.Facilitator.AsOf = &health.Reachable, &at
	}
	for _, a := range p.Accounts {
		n := NetworkStatus{Network: a.ID, Name: a.Name, Asset: a.Asset, PayTo: a.PayTo, Offered: health.MaySettle(a.ID)}
		if health.Networks != nil {
			settles := n.Offered
			n.Settles = &settles
		}
		if a.IsSolana() {
			feePayer := p.Facilitator.FeePayer(a.ID)
			if n.Offered = feePayer != ""; n.Offered { // whom the facilitator names only where it settles
				n.FeePayer = &feePayer
			}
		}
		status.Networks = append(status.Networks, n)
	}
	return status
}
