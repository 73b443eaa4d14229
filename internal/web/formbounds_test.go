package web

import (
	"fmt"
	"net/url"
	"runtime"
	"strings"
	"testing"
)

// TestAFormOfPrivateThingsTakesNotMuchMoreThanAnother of the same size, counted in what it allocates: nothing private
// is spelled anew for each text that may have it.
func TestAFormOfPrivateThingsTakesNotMuchMoreThanAnother(t *testing.T) {
	site, _ := empty(t)
	took := func(typed url.Values) uint64 {
		typed.Set(crimeField, "hack")
		typed.Set(titleField, "A title")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if status := send(site, typed).Code; status == 413 {
			t.Fatal("the form is too large")
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	each := func(format string, most int) string {
		var b strings.Builder
		for i := 0; b.Len()+20 < most; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	const story = 9900 // bytes
	links := strings.Repeat("https://l.example/?"+each("&a%d@b.co", 1200)+"\n", 40)
	ordinary := took(url.Values{thingsField: {"evil.example"},
		storyField: {strings.Repeat("she wrote to me every day, then I paid ", story/39)}})
	mails := each("a%d@b.co ", story)
	for about, typed := range map[string]url.Values{
		"e-mail addresses":       {storyField: {mails}},
		"phones":                 {storyField: {each("+4477%07d ", story)}},
		"e-mails in links":       {storyField: {mails}, linkField: {links}},
		"too many links":         {storyField: {mails}, linkField: {each("https://l.example/?a%d@b.co\n", 48_000)}},
		"cards beside links":     {storyField: {strings.Repeat("4111 1111 1111 1111 ", story/20)}, linkField: {links}},
		"phones as theirs":       {storyField: {mails}, thingsField: {each("+4978%07d\n", 13*1000)}},
		"20 phones as theirs":    {storyField: {mails}, thingsField: {each("+4978%07d\n", 13*20)}},
		"homes":                  {storyField: {each("%d A Street. ", story)}},
		"one long home":          {storyField: {each("%d A Street, ", story)}},
		"capital words":          {storyField: {strings.Repeat("Aa ", story/3)}},
		"numbers, capital words": {storyField: {strings.Repeat("1 Aa Bb ", story/8)}},
		"questions for a home":   {storyField: {strings.Repeat("your address? 1 A ", story/18)}},
		"names":                  {storyField: {each("soy Aa Bb%d. ", story)}},
		"names of letters":       {storyField: {strings.Repeat("me llamo Aa Bb Cc Dd Ee. Aa ", story/28)}},
		"numbers of papers":      {storyField: {each("mi DNI %08dZ ", story)}},
		"beginnings of accounts": {storyField: {strings.Repeat("MT84 ", story/5)}},
		"senders":                {storyField: {each("10:22 Aa B%d: x\n", story)}, meField: {each("Aa B%d\n", story)}},
		"passwords":              {storyField: {each("my password is a%d! I was born on 3/5/1974 ", story)}},
		"claims": {storyField: {each("my number is 77%07d ", story)},
			thingsField: {each("+4978%07d\n", 13*20)}},
		"messages of claims": {storyField: {each("Aa B: my number is 77%07d\nCc D: x\n", story)},
			thingsField: {each("+4978%07d\n", 13*20)}},
		"answers of nothing": {storyField: {mails}, linkField: {links},
			whoseField: {each("mine x%d\n", 30_000)}},
	} {
		if !typed.Has(thingsField) {
			typed.Set(thingsField, "evil.example")
		}
		typed.Set(takeOutField, "yes")
		if bytes := took(typed); bytes > 8*ordinary {
			t.Errorf("%s: %d MB, and an ordinary story %d MB", about, bytes>>20, ordinary>>20)
		}
	}
}
