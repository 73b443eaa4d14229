package web

import (
	"fmt"
	"testing"

	"tocsin/internal/tocsintest"
)

func TestTheSiteTakesSoManyNewWalletsOfANetwork(t *testing.T) {
	s := start(t, func(c *setup) { c.Limits.NewAgents = 2 })
	known := tocsintest.NewAccount(t)
	for _, a := range []tocsintest.Account{known, tocsintest.NewAccount(t), known} {
		v := s.visitor()
		v.signIn(a)
		want(t, "signed in", v.signedIn(), true)
	}
	v := s.visitor()
	p := v.signIn(tocsintest.NewAccount(t))
	want(t, "one too many", []any{p.status, p.header.Get("Retry-After"), v.signedIn()}, []any{429, 12 * 3600, false})
	p.says("From your network 2 new wallets have signed in today", "Wallets that have signed in before still can")
}

func TestLookUpsWithAKeyCountForTheNetwork(t *testing.T) {
	s := start(t, func(c *setup) { c.Limits.NetworkCalls, c.Limits.Lookups = 12, 2 })
	var status []int
	var last *visitor
	for i := range 2 {
		v := s.visitor()
		v.signIn(tocsintest.NewAccount(t))
		last = v
		for j := range 8 {
			path := fmt.Sprintf("/screen/s%d-%d.example", i, j)
			p := v.get(path)
			status = append(status, p.status)
			if p.status != 200 {
				p.says("The 12 free calls of all keys from your network are used up for today.")
			}
			if j == 0 {
				want(t, "again", v.get(path).status, 200) // is free
			}
		}
	}
	want(t, "look-ups, then calls", status, append(times(14, 200), 429, 429))
	last.get("/account").says("0 of 10",
		"The 12 free calls of today of all keys from your network are used up; new ones come at midnight UTC.")
	last.get("/account", "Accept-Language: es").says("Las 12 llamadas gratis de hoy de todas las claves de tu red")
}
