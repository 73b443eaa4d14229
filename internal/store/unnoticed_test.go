package store

import (
	"encoding/binary"
	"testing"
	"time"

	"tocsin"
)

func TestOfTwoAgentsAsOftenRightTheOneWithFewerReportsLeads(t *testing.T) {
	s := fresh(t)
	many, few, third := s.agent(t), s.agent(t), s.agent(t)
	s.sleep(tocsin.SettledAfter)
	s.files(t, story(t, "a", "evil.com"), many)
	s.files(t, story(t, "b", "other.com"), many) // nobody else names it
	s.files(t, story(t, "c", "worse.com"), few)
	s.files(t, story(t, "d", "evil.com", "worse.com"), third)
	board, err := s.Leaderboard(t.Context())
	do(t, err)
	var got []any
	for _, r := range board {
		got = append(got, r.ID, r.Corroborated, r.Reports)
	}
	equal(t, "the leaderboard", got, []any{few.Agent.ID, 1, 1, many.Agent.ID, 1, 2})
}

func TestASignInLeavesTheAgentItsName(t *testing.T) {
	s := fresh(t)
	wallet := tocsin.Address{19: 7}
	_, err := s.CreateKey(t.Context(), &wallet, "Watchman", nil)
	do(t, err)
	token, err := s.NewSession(t.Context(), wallet, time.Hour)
	do(t, err)
	found, err := s.Session(t.Context(), token)
	if err != nil || found == nil || found.Agent.Name == nil {
		t.Fatalf("the name is gone: %+v, %v", found, err)
	}
	equal(t, "the name", *found.Agent.Name, "Watchman")
}

func TestASessionFindsTheLiveKeyAmongTheRevokedOnes(t *testing.T) {
	s := fresh(t)
	wallet := tocsin.Address{19: 7}
	token, err := s.NewSession(t.Context(), wallet, time.Hour)
	do(t, err)
	for range 20 { // keys are found in the order of their hashes, or in any other: one of them might be first by chance
		made, err := s.RenewKey(t.Context(), wallet)
		do(t, err)
		found, err := s.Session(t.Context(), token)
		if err != nil || found == nil || found.Caller == nil {
			t.Fatalf("no live key: %+v, %v", found, err)
		}
		equal(t, "the key", found.Caller.Prefix, made.Key.Prefix())
	}
}

func TestALookUpThatBeganBeforeARevocationKeepsNothing(t *testing.T) {
	var k callers
	hash := [32]byte{1}
	_, generation := k.get(hash)
	k.invalidate() // the key is revoked while it is looked up
	k.put(hash, &Caller{}, generation)
	kept, generation := k.get(hash)
	equal(t, "the revoked key is kept", kept != nil, false)
	k.put(hash, &Caller{}, generation)
	kept, _ = k.get(hash)
	equal(t, "one looked up since is kept", kept != nil, true)
}

func TestTheIdentifierOfAPaymentThatWasSentStaysTaken(t *testing.T) {
	all, clock := handles(t, 1)
	db := all[0]
	named := func(id byte, name string) *Claim {
		c := claimOf(id, 1)
		c.Identifier = name
		return c
	}
	pending := claims(t, db, named(1, "pending"), Acquired)
	settle(t, db, pending)
	do(t, db.Postpone(t.Context(), pending, 0))
	db.Unlock(pending)
	paid := claims(t, db, named(2, "paid"), Acquired)
	settle(t, db, paid)
	db.Settled(t.Context(), paid, func(err error) { t.Error(err) })
	db.Unlock(paid)
	clock.sleep(2 * leaseTTL)
	claims(t, db, named(3, "pending"), IdentifierReused)
	claims(t, db, named(4, "paid"), IdentifierReused)
}

func TestTheLastReportIsTheNewestWhoeverFiledIt(t *testing.T) {
	s := fresh(t)
	late, early := s.agent(t), s.agent(t) // the dossier adds up the reports of the first agent first
	first := s.files(t, story(t, "a", "evil.com"), early).Report.PublishedAt
	s.sleep(time.Hour)
	s.files(t, story(t, "b", "evil.com"), early)
	s.sleep(time.Hour)
	last := s.files(t, story(t, "c", "evil.com"), late).Report.PublishedAt
	d := dossier(t, s.DB, evil)
	equal(t, "first and last", []any{d.First, d.Last}, []any{*first, *last})
}

func TestOnlyPaymentsThatAreSettledCountAsCalls(t *testing.T) {
	s := fresh(t)
	by := s.agent(t)
	c := claimOf(1, 1)
	c.Caller = by
	calls := func(about string, want int) {
		t.Helper()
		a, err := s.Account(t.Context(), by.Agent)
		do(t, err)
		equal(t, about, a.Calls, want)
	}
	claims(t, s.DB, c, Acquired)
	calls("claimed", 0)
	settle(t, s.DB, c)
	calls("pending", 0)
	s.Settled(t.Context(), c, func(err error) { t.Error(err) })
	calls("settled", 1)
	s.Unlock(c)
}

func TestAnAccountCountsWhatWasAnswered(t *testing.T) {
	s := fresh(t)
	by, other := s.agent(t), s.agent(t)
	account := func(about string, want Account) {
		t.Helper()
		got, err := s.Account(t.Context(), by.Agent)
		do(t, err)
		equal(t, about, []int{got.Calls, got.Used, got.Reports}, []int{want.Calls, want.Used, want.Reports})
	}
	account("new", Account{})
	for _, c := range []*Caller{by, by, by, other} {
		spend(t, s.DB, c, 10)
	}
	id := s.files(t, story(t, "a", "evil.com"), by).Report.ID
	s.files(t, story(t, "b", "evil.com"), by)
	s.files(t, story(t, "c", "evil.com"), other)
	account("today", Account{Calls: 3, Used: 3, Reports: 2})
	do(t, s.Hide(t.Context(), Operator{}, id))
	s.sleep(12 * time.Hour)
	spend(t, s.DB, by, 10)
	for i, payer := range []*Caller{by, by, other, nil} {
		c := claimOf(byte(i), 1)
		c.Caller = payer
		claims(t, s.DB, c, Acquired)
		settle(t, s.DB, c)
		s.Settled(t.Context(), c, func(err error) { t.Error(err) })
		s.Unlock(c)
	}
	account("tomorrow", Account{Calls: 4 + 2, Used: 1, Reports: 1})
	_, err := s.Account(t.Context(), tocsin.Agent{ID: "agt_unknown"})
	equal(t, "of nobody", missing(err), true)
}

func TestTheCacheOfCallersIsBounded(t *testing.T) {
	var k callers
	hash := func(i int) (h [32]byte) {
		binary.BigEndian.PutUint32(h[:], uint32(i))
		return h
	}
	const n = 100
	k.bound = n * (&Caller{}).bytes()
	busy := &Caller{inProgress: 1}
	k.put(hash(n), busy, 0)
	for i := range 10 * n {
		if i == n {
			continue
		}
		c := &Caller{}
		if k.put(hash(i), c, 0) != c || k.put(hash(i), &Caller{}, 0) != c {
			t.Fatal("calls with one key do not share their counts")
		}
		if len(k.kept) > n || k.size != len(k.kept)*c.bytes() {
			t.Fatalf("%d callers, %d bytes", len(k.kept), k.size)
		}
	}
	equal(t, "full", len(k.kept), n)
	if k.kept[hash(n)] != busy {
		t.Error("a key with a call in progress is forgotten, and its count with it")
	}
}

func TestAPaymentIsSentOnceAndWhyItIsDoubtedIsKept(t *testing.T) {
	all, clock := handles(t, 2)
	c := claimOf(1, 1)
	c.Reason = "doubted"
	claims(t, all[0], c, Acquired)
	equal(t, "sent, and sent again", []bool{settle(t, all[0], c), settle(t, all[0], c)}, []bool{true, false})
	do(t, all[0].Close()) // as if it were killed
	clock.sleep(2 * leaseTTL)
	again := claims(t, all[1], claimOf(1, 1), Resumed)
	equal(t, "the reason", again.Reason, "doubted")
	all[1].Unlock(again)
}

func TestThePaymentThatIsDueLongestComesFirst(t *testing.T) {
	all, clock := handles(t, 1)
	for i, delay := range []time.Duration{3 * time.Minute, time.Minute, 2 * time.Minute} {
		c := claims(t, all[0], claimOf(byte(i), 1), Acquired)
		settle(t, all[0], c)
		do(t, all[0].Postpone(t.Context(), c, delay))
		all[0].Unlock(c)
	}
	clock.sleep(3 * time.Minute)
	for limit, want := range [][]byte{{}, {1}, {1, 2}, {1, 2, 0}, {1, 2, 0}} {
		due, err := all[0].DueClaims(t.Context(), limit)
		do(t, err)
		var got []byte
		for _, c := range due {
			got = append(got, c.ID[0])
		}
		equal(t, "due", got, want)
	}
}

func TestTheListsAreShownByNameOnceTheirFirstImportHasEnded(t *testing.T) {
	s := fresh(t)
	s.imports(t, "two", listing(evil, nil))
	s.imports(t, "one", listing(evil, nil))
	begun, err := s.Import(t.Context(), tocsin.List{Name: "begun", Family: "begun"})
	do(t, err)
	do(t, begun.saveList(t.Context(), false))
	st, err := s.Stats(t.Context())
	do(t, err)
	var names []string
	for _, l := range st.Lists {
		names = append(names, l.Name)
	}
	equal(t, "lists", names, []string{"one", "two"})
}

func TestARevocationEndsTheOtherSessionsOfItsAgentAlone(t *testing.T) {
	s := fresh(t)
	wallet, stranger := tocsin.Address{19: 7}, tocsin.Address{19: 8}
	var tokens []string
	for _, a := range []tocsin.Address{wallet, wallet, stranger} {
		token, err := s.NewSession(t.Context(), a, time.Hour)
		do(t, err)
		tokens = append(tokens, token)
	}
	made, err := s.CreateKey(t.Context(), &wallet, "", nil)
	do(t, err)
	by, err := s.Caller(t.Context(), made.Key)
	do(t, err)
	do(t, s.Revoke(t.Context(), by, tokens[0]))
	var live []bool
	for _, token := range tokens {
		found, err := s.Session(t.Context(), token)
		do(t, err)
		live = append(live, found != nil)
	}
	equal(t, "sessions", live, []bool{true, false, true})
}

func TestAnAnswerThatIsMadeAgainIsKeptOnce(t *testing.T) {
	all, _ := handles(t, 1)
	c := claims(t, all[0], claimOf(1, 1), Acquired)
	settle(t, all[0], c) // its answer is erased since
	for _, text := range []string{"the first", "the second"} {
		c.Answer = []byte(text)
		do(t, all[0].KeepAnswer(t.Context(), c))
	}
	all[0].Settled(t.Context(), c, func(err error) { t.Error(err) })
	all[0].Unlock(c)
	equal(t, "kept", string(claims(t, all[0], claimOf(1, 1), Replayed).Answer), "the first")
}
