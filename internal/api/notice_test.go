package api

import (
	"strings"
	"testing"
)

// TestAKeyThatIsNotLiveIsNotTakenForNone: the report is filed, and its filer is told that it is anonymous.
func TestAKeyThatIsNotLiveIsNotTakenForNone(t *testing.T) {
	s := start(t)
	revoked := s.key(10)
	s.do("DELETE", "/me/key", nil, "x-api-key: "+revoked)
	live := s.key(10)
	mistyped := live[:len(live)-1] + string(live[len(live)-1]^1)
	for about, c := range map[string]struct {
		header, says string
	}{
		"mistyped":             {"x-api-key: " + mistyped, "is mistyped, so this report is anonymous"},
		"no key at all":        {"x-api-key: hunter2", "is mistyped, so this report is anonymous"},
		"revoked":              {"x-api-key: " + revoked, "is unknown here, or revoked, so this report is anonymous"},
		"revoked, as a bearer": {"Authorization: Bearer " + revoked, "is unknown here, or revoked"},
		"live":                 {"x-api-key: " + live, ""},
		"none":                 {"Accept: */*", ""},
	} {
		for _, view := range []string{"", "?view=compact"} {
			filed := s.do("POST", "/community-reports"+view, filing("title", about+view), c.header)
			want(t, about, []any{filed.status, filed.in("reporter") == nil, filed.in("notice") != nil},
				[]any{201, about != "live", c.says != ""})
			if notice, _ := filed.in("notice").(string); !strings.Contains(notice, c.says) ||
				c.says != "" && !strings.Contains(notice, "/api/v1/me") {
				t.Errorf("%s: %q", about, notice)
			}
		}
		help, _ := s.get("/me", c.header).in("help").(string) // where the notice sends them
		of, _, _ := strings.Cut(c.says, ", so this")
		want(t, about+": help", []bool{help != "", strings.HasPrefix(help, "The key that you sent "+of)},
			[]bool{about != "live", c.says != ""})
	}
}

// TestAFilerWhoLostTheResponseGetsItsToken by sending the same request again, even when the limit is reached.
func TestAFilerWhoLostTheResponseGetsItsToken(t *testing.T) {
	s := start(t)
	const key = "Idempotency-Key: 0b0f5e63-8c3e-4a2a-8a57-4df2b63c1f6e"
	first := s.do("POST", "/community-reports", filing(), key)
	again := s.do("POST", "/community-reports", filing(), key)
	want(t, "again", []any{again.status, again.in("duplicate"), again.text("manageToken")},
		[]any{200, true, first.text("manageToken")})
	without := s.do("POST", "/community-reports", filing())
	want(t, "without the key", []any{without.status, without.in("duplicate"), without.in("manageToken")},
		[]any{200, true, nil})
	for i := 0; s.do("POST", "/community-reports", filing("title", strings.Repeat("x", i+1))).status == 201; i++ {
	}
	again = s.do("POST", "/community-reports", filing(), key)
	want(t, "over the limit", []any{again.status, again.text("manageToken")}, []any{200, first.text("manageToken")})
	gone := s.do("DELETE", "/community-reports/"+first.text("id"), nil, "x-manage-token: "+again.text("manageToken"))
	want(t, "withdrawn with it", gone.text("status"), "withdrawn")
}

// TestALossInAnotherCurrencyIsSaidToBeInDollars, which 2 ETH are not.
func TestALossInAnotherCurrencyIsSaidToBeInDollars(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(10)
	for currency, says := range map[string]string{"eth": "this report says that ETH worth $2.00 was lost.", "USDT": ""} {
		lost := filing("title", currency, "amountLost", 2, "currency", currency)
		for i, filed := range []*answer{s.file(lost, key), s.file(lost, key)} {
			notice := filed.text("notice")
			want(t, currency, []bool{strings.Contains(notice, says), notice != "", strings.Contains(notice, "withdraw")},
				[]bool{true, says != "" || i > 0, says != "" && i == 0})
		}
	}
}

// TestANoticeAdvisesNothingThatCannotBeDone: the second answer to a report has no token to withdraw it with.
func TestANoticeAdvisesNothingThatCannotBeDone(t *testing.T) {
	s := start(t)
	key := s.key(10)
	mistyped := "x-api-key: " + key[:len(key)-1] + string(key[len(key)-1]^1)
	s.do("POST", "/community-reports", filing())
	again := s.do("POST", "/community-reports", filing(), mistyped)
	notice := again.text("notice")
	want(t, "again, with a mistyped key", []any{again.status, again.in("manageToken"),
		strings.Contains(notice, "withdraw"),
		strings.Contains(notice, "so this report is anonymous")}, []any{200, nil, false, true})

	const onRecord = "This report was on record already. Its manageToken is in the response to its first filing; if " +
		"that had an Idempotency-Key, the same request with the same one gives it again."
	again = s.do("POST", "/community-reports", filing())
	want(t, "again", []any{again.status, again.in("manageToken"), again.text("notice")}, []any{200, nil, onRecord})

	const says = "Without an API key, only an Idempotency-Key of at least 16 characters gives the manageToken again."
	for i, says := range []string{says, onRecord + " " + says} {
		short := s.do("POST", "/community-reports", filing("title", "Short"), "Idempotency-Key: short")
		want(t, "a short Idempotency-Key", []any{short.status, short.in("manageToken") != nil, short.text("notice")},
			[]any{201 - i, i == 0, says})
	}
	long := "Idempotency-Key: " + strings.Repeat("k", 16)
	for _, status := range []int{201, 200} {
		first := s.do("POST", "/community-reports", filing("title", "Long"), long)
		want(t, "a long one", []any{first.status, first.in("manageToken") != nil, first.in("notice")},
			[]any{status, true, nil})
	}
	keyed := s.do("POST", "/community-reports", filing("title", "Keyed"), "Idempotency-Key: short", "x-api-key: "+key)
	want(t, "with a key", []any{keyed.status, keyed.in("notice")}, []any{201, nil})
}
