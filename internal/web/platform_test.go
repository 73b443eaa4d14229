package web

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

// TestWhatWasTypedIntoTheBoxIsInTheForm: from the search that it led to, nothing has to be typed again.
func TestWhatWasTypedIntoTheBoxIsInTheForm(t *testing.T) {
	v := start(t).visitor()
	const long = "They wrote to me for weeks and then wanted a fee"
	for typed, in := range map[string][2]string{
		"@lena_trades88": {"@lena_trades88", ""}, "@lena.gold": {"@lena.gold", ""}, "t.me/Lena_1": {"telegram:lena_1", ""},
		"Lena Gold": {"name: Lena Gold", ""}, "0151 2345678": {"0151 2345678", ""}, long: {"", long},
	} {
		p := v.get(v.get("/screen?q=" + url.QueryEscape(typed)).header.Get("Location"))
		i := slices.IndexFunc(p.links(), func(to string) bool { return strings.HasPrefix(to, "/report?") })
		if i < 0 {
			t.Errorf("%s: no link to the form in %s", typed, p.links())
			continue
		}
		form := v.get(p.links()[i])
		want(t, typed, [2]string{form.value(thingsField), form.value(storyField)}, in)
		want(t, "asked for the platform of "+typed, strings.Contains(form.main(), "On which platform is "+typed),
			strings.HasPrefix(typed, "@"))
	}
	phrase := strings.Repeat("abandon ", 11) + "about"
	if p := v.get("/report?typed=" + url.QueryEscape(phrase)); strings.Contains(p.main(), "abandon") {
		t.Error("a recovery phrase is shown")
	}
}

func TestANameIsFiledOnItsPlatform(t *testing.T) {
	s := start(t)
	v := s.visitor()
	for platform, handle := range map[string]string{"telegram": "telegram:lena_trades88",
		"instagram": "instagram:lena_trades88", "": "name:@lena_trades88", "nonsense": "name:@lena_trades88"} {
		p := v.post("/report", aForm.with(fields{thingsField: "@Lena_trades88\ntelegram: @other1",
			titleField: "On " + platform, platformField: platform}))
		handle = strings.Replace(handle, "name:@lena", "name:@Lena", 1)
		want(t, platform, s.storedReport(p).ReportedHandles, []string{handle, "telegram:other1"})
	}
	p := v.post("/report", aForm.with(fields{thingsField: "@lena.gold", platformField: "telegram"}))
	want(t, "a name that the platform has not", []any{p.status, p.value(thingsField)}, []any{422, "@lena.gold"})
	p.says("Telegram has no names like @lena.gold.")
	want(t, "at the platform", strings.Contains(textOf(p.id(platformField+"-e")), "has no names"), true)
	if !strings.Contains(p.html, `<option value="telegram" selected>`) {
		t.Error("the choice is lost")
	}
}
