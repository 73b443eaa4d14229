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

// TestThePlatformThatTheStoryNamesIsChosenAlready, and is asked for again by the button that takes out all that is the
// reporter's own.
func TestThePlatformThatTheStoryNamesIsChosenAlready(t *testing.T) {
	for story, platform := range map[string]string{"La conocí por Telegram (@Lena_trades88).": "telegram",
		"She is lena_trades88 on Instagram": "instagram", "@lena_trades88 (Twitter)": "x",
		"lena_trades88 on X": "", "instagram: @lena_trades88, then telegram @lena_trades88": "",
		"Telegram lena_trades889": "", "We used telegram. There was @lena_trades88": ""} {
		f := newForm(english(), url.Values{thingsField: {"lena_trades88"}, storyField: {story}})
		want(t, story, f.SaidPlatform(), platform)
	}
	v := start(t).visitor()
	form := written(fields{thingsField: "lena_trades88",
		storyField: "Mi correo ana@mail.example, luego ana2@mail.example, y ella por Telegram (@lena_trades88)"})
	delete(form, platformField)
	p := v.post("/report", form)
	chosen := `<option value="telegram" selected>`
	want(t, "chosen", strings.Contains(p.html, chosen), true)
	again := v.post("/report", form.with(fields{languageField: "en"}))
	want(t, "chosen on the form", strings.Contains(again.html, chosen), true)
	p = v.post("/report", p.sent().with(fields{takeOutField: "yes", platformField: ""}))
	want(t, "asked again", []any{strings.Contains(textOf(p.class("preview")[0]), "ana@mail"),
		strings.Contains(p.html, chosen)},
		[]any{false, true})
}
