package web

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/language"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/front"
	"tocsin/internal/locale"
	"tocsin/internal/paste"
	"tocsin/internal/picture"
)

// A card is the picture that a chat or a network shows beside a link. That of an answer says what its page says first,
// so it must not be had for less than the page: its URL holds what it says, under a seal that only the page gives, and
// what is on record only says whether that still holds. That of a report says what its page says for free.

// cardWait is for how long a card waits for its turn to be drawn.
const cardWait = 2 * time.Second

// errCardsBusy is the error of a card that had no turn because of others.
var errCardsBusy = errors.New("other cards are being drawn")

// bellPath finds the paths in the logo.
var bellPath = regexp.MustCompile(` d="([^"]+)"`)

// newArtist returns what draws the cards and the icons, with the bell of the logo.
func newArtist() (*picture.Artist, error) {
	logo, err := files.ReadFile("assets/bell.svg")
	if err != nil {
		return nil, err
	}
	var bell []string
	for _, found := range bellPath.FindAllSubmatch(logo, -1) {
		bell = append(bell, string(found[1]))
	}
	return picture.New(bell...)
}

// file is a response that is no page.
type file struct {
	Media string
	Keep  string // Cache-Control
	Tag   string // ETag
	Body  []byte
}

// tagOf is the ETag of what depends on some texts alone.
func tagOf(of ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(of, "\x00")))
	return `"` + hex.EncodeToString(sum[:8]) + `"`
}

// sendFile writes a file, or that the client has it.
func (s *Site) sendFile(w http.ResponseWriter, req *request, f *file) {
	h := w.Header()
	h.Set("Content-Type", f.Media)
	h.Set("Cache-Control", f.Keep)
	h.Set("ETag", f.Tag)
	h.Set("Vary", "Accept-Encoding")
	if f.Body == nil { // and never an empty picture, which a shared cache would keep for everybody
		w.WriteHeader(http.StatusNotModified)
		return
	}
	http.ServeContent(w, req.Request, "", time.Time{}, bytes.NewReader(f.Body)) // knows HEAD, If-None-Match and Range
}

// drawnCards are the cards that were drawn last: a link that is shared is asked for by each who is shown it.
type drawnCards struct {
	mu     sync.Mutex
	images map[string][]byte // by ETag
	order  []string          // the oldest first
}

// keptCards is how many cards are kept. Most have 15 KB, none more than 100.
const keptCards = 64

func (d *drawnCards) get(tag string) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.images[tag]
}

func (d *drawnCards) put(tag string, image []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.images == nil {
		d.images = map[string][]byte{}
	}
	if d.images[tag] == nil {
		d.order = append(d.order, tag)
	}
	d.images[tag] = image
	if len(d.order) > keptCards {
		delete(d.images, d.order[0])
		d.order = slices.Delete(d.order, 0, 1)
	}
}

// drawn is a card, drawn when it is this one's turn. A client that has it costs nothing, and one that was drawn lately
// little.
func (s *Site) drawn(req *request, keep string, c picture.Card) (*page, error) {
	c.Foot[0] = s.host
	f := &file{Media: "image/png", Keep: keep, Tag: tagOf(s.config.Version, c.Class, strconv.Itoa(c.Score), c.Head, c.Note,
		c.Title, c.Subject, c.Foot[0], c.Foot[1])}
	f.Body = s.cards.get(f.Tag)
	if f.Body != nil || strings.Contains(req.Header.Get("If-None-Match"), f.Tag) {
		return &page{File: f}, nil
	}
	turn, cancel := context.WithTimeout(req.Context(), s.cardWait)
	defer cancel()
	leave, err := s.api.Budgets().Pictures.Wait(turn, front.Of(req.Context()).Network())
	if err != nil && req.Context().Err() == nil {
		return nil, errCardsBusy
	}
	if err != nil {
		return nil, err
	}
	defer leave()
	f.Body = s.artist.Card(c)
	s.cards.put(f.Tag, f.Body)
	return &page{File: f}, nil
}

// cardLang is the language of the card of a page: that of the page or, if the font lacks its letters, English.
func (s *Site) cardLang(p *locale.Printer) *locale.Printer {
	if !s.artist.Has(p.Name) {
		return s.langs.English()
	}
	return p
}

// linkedLang is the language that the URL of a card names.
func (s *Site) linkedLang(req *request) *locale.Printer {
	return s.cardLang(s.langs.Choose(req.URL.Query().Get(langParameter), ""))
}

// answerCard is the path of the card of an answer, for two days; "" if there is none.
func (s *Site) answerCard(req *request, v screenPage) string {
	v.Lang = s.cardLang(req.lang)
	return s.cardPath(req, v, v.Answer.Verdict().Title, v.Name)
}

// cardPath is the path of the card of an answer, in its language, with a title and what it is about.
func (s *Site) cardPath(req *request, v screenPage, title, about string) string {
	says := url.Values{
		langParameter: {v.Lang.Tag},
		"subject":     {about},
		"of":          {v.Subject.String()},
		"level":       {string(v.RiskLevel)},
		"look":        {v.look()},
		"word":        {v.State()},
		"score":       {strconv.Itoa(v.RiskScore)},
		"title":       {title},
		"on":          {v.Lang.Day(v.AsOf.Std())},
	}
	seal, err := s.db.Seal(req.Context(), "card "+says.Encode())
	if err != nil {
		return "" // the page is worth showing without it
	}
	// Some that show links read no numeric character reference, which html/template makes of a plus.
	return "/screen.png?" + strings.ReplaceAll(says.Encode(), "+", "%20") + "&seal=" + seal
}

// severalCard is the path of the card of several answers: of the worst of them, with what the page says first; "" if
// that is about something else, which no answer warns of.
func (s *Site) severalCard(req *request, v severalPage, parts []paste.Part) string {
	at := slices.IndexFunc(v.Cards, func(c severalCard) bool { return c.Answer != nil })
	if at < 0 {
		return ""
	}
	worst := screenPage{Answer: *v.Cards[at].Answer}
	worst.Lang = s.cardLang(req.lang)
	headlines := v.headlines(worst.Lang, parts)
	if !worst.Warns() && worst.Result == tocsin.NoReports && len(headlines) > 0 {
		return ""
	}
	about := short(worst.Subject)
	if all, _ := v.among("", func(answer.Answer) bool { return true }); all > 1 {
		about = worst.Lang.Text("%d addresses and websites were looked up.", all)
	}
	return s.cardPath(req, worst, v.title(worst.Lang, headlines), about)
}

// look is the class of the card: that of the level, or of a known subject, as on the page.
func (v screenPage) look() string {
	switch {
	case v.Heed():
		return "heed"
	case v.KnownGood():
		return "known"
	}
	return styleOf(v.RiskLevel).Class
}

// screenCard draws the card of an answer.
func (s *Site) screenCard(req *request) (*page, error) {
	says := req.URL.Query()
	seal := says.Get("seal")
	says.Del("seal")
	ours, err := s.db.IsSeal(req.Context(), seal, "card "+says.Encode())
	if err != nil {
		return nil, err
	}
	if !ours {
		return nil, &tocsin.Error{Code: tocsin.NotFound}
	}
	p := s.linkedLang(req)
	req.header.Set("X-Robots-Tag", "noindex")
	if changed, err := s.hasChanged(req, says); err != nil {
		return nil, err
	} else if changed {
		return s.drawn(req, "public, max-age=300", picture.Card{
			Arcs:    4,
			Score:   100,
			Head:    p.Text("Has the bell rung?"),
			Title:   p.Text("This answer has changed. Look it up again."),
			Subject: says.Get("subject"),
			Foot:    [2]string{"", p.Day(s.db.Now().Std())},
		})
	}
	level := styleOf(says.Get("level"))
	score, _ := strconv.Atoi(says.Get("score")) // it is ours
	note := p.Text("score %d of 100", score)
	if level.Arcs == 0 {
		note = "" // a 0 reads as good
	}
	return s.drawn(req, "public, max-age=3600", picture.Card{
		Class:   cmp.Or(says.Get("look"), level.Class),
		Arcs:    level.Arcs,
		Score:   score,
		Head:    says.Get("word"),
		Note:    note,
		Title:   says.Get("title"),
		Subject: says.Get("subject"),
		Foot:    [2]string{"", says.Get("on")},
	})
}

// hasChanged reports whether the answer has another level now than its card says: an entry may have been removed. The
// card that is drawn then says no more than that.
func (s *Site) hasChanged(req *request, says url.Values) (bool, error) {
	subject, fault := tocsin.ParseSubject(says.Get("of"))
	if fault != nil { // of an older version
		return false, nil
	}
	now, err := s.judge(req, subject)
	return err == nil && string(now.RiskLevel) != says.Get("level"), err
}

// reportCard draws the card of a report: what its page shows of it first.
func (s *Site) reportCard(req *request) (*page, error) {
	r, err := s.db.Report(req.Context(), req.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return s.drawn(req, "public, max-age=3600", s.cardOf(s.linkedLang(req), r)) // it may be withdrawn
}

// cardOf is the card of a report.
func (s *Site) cardOf(p *locale.Printer, r tocsin.Report) picture.Card {
	c := picture.Card{Head: answer.CrimeName(p, r.CrimeType), Note: p.Text("one person’s report"), Title: r.Title}
	if r.Source != tocsin.Community {
		c.Note = p.Text("from %s", answer.ListTitle(p, r.Source))
	}
	if !s.artist.Has(c.Title) {
		c.Title = p.Text("Somebody warns of this.")
	}
	if subjects := r.Subjects(); len(subjects) > 0 {
		c.Subject = namedText(p, subjects[0], len(subjects))
	}
	if r.PublishedAt != nil {
		c.Foot[1] = p.Day(r.PublishedAt.Std())
	}
	return c
}

// siteCard draws the card of all other pages.
func (s *Site) siteCard(req *request) (*page, error) {
	p := s.linkedLang(req)
	return s.drawn(req, "public, max-age=86400", picture.Card{
		Arcs:    4,
		Score:   100,
		Head:    p.Text("Has the bell rung?"),
		Title:   p.Text("Look before you send, or connect a wallet."),
		Subject: p.Text("an address, a website, a handle"),
	})
}

// Unfurled is the title by which others show a link to the page. It says nothing about the visitor.
func (l layout) Unfurled() string {
	if l.Status == http.StatusTooManyRequests { // which is about the network of a crawler
		return l.Lang.Text("Has the bell rung for it?")
	}
	return l.page.Title
}

// Canonical is the URL of an answer or a report, whatever else is in the URL by which somebody came, but for the
// language that a shared link names: those that show the link read this URL. It is "" for other pages.
func (l layout) Canonical() string {
	if l.Card == "" {
		return ""
	}
	at := l.Site.BaseURL + cmp.Or(l.Shared, (&url.URL{Path: l.Path}).EscapedPath())
	if l.Linked {
		at = inLanguage(at, l.Lang.Tag)
	}
	return at
}

// About is the description that goes with Unfurled.
func (l layout) About() string {
	if l.Description == "" {
		return l.Lang.Text(tagline)
	}
	return l.Description
}

// Picture is the URL of the card of the page.
func (l layout) Picture() string {
	at := l.Site.BaseURL + cmp.Or(l.Card, "/card.png")
	if strings.Contains(at, langParameter+"=") || l.CardLang == locale.Shipped()[0] {
		return at
	}
	return inLanguage(at, l.CardLang)
}

// Locale is the language of the page as Open Graph names it, with the country where most speakers live: es_ES.
func (l layout) Locale() string {
	tag := language.Make(l.Lang.Tag)
	base, _ := tag.Base()
	region, _ := tag.Region()
	return base.String() + "_" + region.String()
}

// tagline says what the site is for.
const tagline locale.Key = "Look up a crypto address or a website in sanctions lists, public scam lists and " +
	"community reports."
