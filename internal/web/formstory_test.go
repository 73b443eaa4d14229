package web

import (
	"net/url"
	"strings"
	"testing"

	"tocsin"
)

// aChat is a conversation as somebody pastes it who was cheated.
const aChat = `[12/11/26, 14:03] Lena: Hola guapo, soy Lena
[12/11/26, 14:06] Lena: escribe a @lena_trades88 en Telegram
[13/11/26, 9:10] Lena: entra en https://lena-invest.vip/r?id=7 y manda 3.400 USDT a
TBHTJqAy4DhHhmT3dNceJYNRz4SdLofLre`

// TestAConversationIsTakenAsTheStory: what it names is asked about, and nothing of it is reported that was not chosen.
func TestAConversationIsTakenAsTheStory(t *testing.T) {
	s := start(t)
	v := s.visitor()
	form := written(fields{thingsField: aChat, storyField: "I met her there.", meField: nobodyIsMe})
	p := v.post("/report", form)
	want(t, "shown", []any{p.status, p.h1()}, []any{200, "Not public yet: read it once more"})
	p.says("I met her there.", "soy Lena", "Whose is it?", "Say of at least one that it is theirs")
	same(t, "asked", p.asked(), "Is it the site of whoever cheated you? lena-invest.vip",
		"Did you send money to it? TBHTJqAy4DhHhmT3dNceJYNRz4SdLofLre", "Telegram: lena_trades88")
	story := "I met her there.\n\n" + aChat
	want(t, "kept", []string{p.sent()[storyField], p.sent()[thingsField]}, []string{story, ""})

	again := v.post("/report", p.sent().with(fields{nextField: "yes", whoseField: "other lena-invest.vip"}))
	want(t, "nothing was chosen", []any{again.status, again.h1()}, []any{422, "Not public yet: read it once more"})
	shown := v.post("/report", again.sent().with(fields{nextField: "yes",
		whoseField: "theirs lena-invest.vip\ntheirs telegram:lena_trades88\nother TBHTJqAy4DhHhmT3dNceJYNRz4SdLofLre"}))
	filed := v.post("/report", shown.sent().with(fields{publishField: "yes"}))
	one := s.storedReport(filed)
	want(t, "filed", []any{filed.status, one.ReportedDomains, one.ReportedHandles, one.Description},
		[]any{200, []string{"lena-invest.vip"}, []string{"telegram:lena_trades88"}, story})

	s.list("sites", "sites", tocsin.Safe, "exchange", "fine.com", "good.com")
	p = v.post("/report", written(fields{thingsField: "", storyField: "From good.com to lena-one.com, and from fine.com " +
		"to lena-two.com."}))
	same(t, "without well-known sites", p.asked(),
		"Is it the site of whoever cheated you? lena-one.com", "Is it the site of whoever cheated you? lena-two.com")

	p = v.post("/report", form.with(fields{titleField: ""}))
	want(t, "with a mistake", []any{p.status, p.value(thingsField), p.value(storyField)}, []any{422, "", story})
	p.says("You pasted a story or a conversation, so it is below now")
	p = v.get("/report?" + url.Values{"typed": {aChat}}.Encode())
	want(t, "from the box", []string{p.value(thingsField), p.value(storyField)}, []string{"", aChat})
}

// TestAConversationThatIsTooLongIsKept where it was pasted, and the form says by how much.
func TestAConversationThatIsTooLongIsKept(t *testing.T) {
	v := start(t).visitor()
	long := strings.TrimSpace(strings.Repeat(aChat+"\n", tocsin.MaxDescription/len(aChat)+1))
	form := aForm.with(fields{thingsField: long})
	p := v.post("/report", form)
	want(t, "refused", p.status, 422)
	p.says("What you have: longer than a story can be", "a story may have 10,000 characters")
	p.keeps(form)
}

// TestAStoryKeepsAllButItsSecret: it is taken out wherever the story was pasted, and whoever wrote it learns that.
func TestAStoryKeepsAllButItsSecret(t *testing.T) {
	s := start(t)
	v := s.visitor()
	s.addSecrets(aPhrase)
	for about, form := range map[string]fields{
		"in the story": {storyField: "I typed " + aPhrase + ". Then it was gone.", thingsField: "cut.example"},
		"in a chat":    {storyField: "", thingsField: aChat + "\n[13/11/26, 9:12] Ana: " + aPhrase},
		"with a mistake": {storyField: "", titleField: "", thingsField: "I typed " + aPhrase +
			". He said that it was only for the site evil.example"},
	} {
		p := v.post("/report", written(form))
		p.says("There was a recovery phrase or a private key in your story.", "[recovery phrase removed]")
		lacks(t, p, "sausage")
		want(t, about, p.status, map[bool]int{false: 200, true: 422}[form[titleField] == "" && about == "with a mistake"])
	}
	p := v.post("/report", written(fields{storyField: "I typed " + aPhrase + ". Gone.", thingsField: "cut.example"}))
	filed := v.post("/report", p.sent().with(fields{publishField: "yes"}))
	want(t, "filed", s.storedReport(filed).Description, "I typed [recovery phrase removed]. Gone.")
	filed.says("Move what is left to a new wallet now.")
	p = v.post("/report", written(fields{storyField: "My private key: " + aHash + " gone"}))
	want(t, "a key", p.sent()[storyField], "My private key: [private key removed] gone")
	code, err := tocsin.NewManageToken(strings.NewReader(strings.Repeat("k", 20)))
	want(t, "an error", err, nil)
	p = v.post("/report", written(fields{storyField: "My code: " + code + " is lost"}))
	p.says("There was an API key or the code of a report in your story.")
	lacks(t, p, "has the money")
	want(t, "a code", p.sent()[storyField], "My code: [key or code removed] is lost")
	p = v.post("/report", written(fields{storyField: "I typed " + aPhrase + ". My code: " + code}))
	p.says("There was a recovery phrase or a private key in your story.", "[key or code removed]")
}
