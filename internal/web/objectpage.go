package web

import (
	"net/url"

	"tocsin"
	"tocsin/internal/paste"
)

// pageOfUsers is the page that was asked about, if it is one of a site where anybody can have a page, and the site; ""
// for anything else.
func pageOfUsers(q string) (page string, site tocsin.Subject) {
	page = pageTyped(q)
	if page == "" || tocsin.FindSecret(q) != nil {
		return "", site
	}
	switch box := paste.ReadBox(q); {
	case len(box.Subjects) == 1 && !box.Subjects[0].IsAddress() && tocsin.OfUsers(box.Subjects[0].Value):
		return tocsin.Shorten(page, 100), box.Subjects[0]
	case box.Problem != nil && box.Problem.Kind == paste.SharedDomain:
		return tocsin.Shorten(page, 100), tocsin.Subject{Kind: tocsin.DNS, Value: box.Problem.Text}
	}
	return "", site
}

// OnPageSearch is the path of the search for the page in the reports.
func (p objectPage) OnPageSearch() string { return "/reports?" + url.Values{"q": {p.OnPage}}.Encode() }

// pageSteps are what the owner of such a page does.
func (p objectPage) pageSteps() []objectStep {
	t := p.Lang.Text
	return []objectStep{
		{Head: t("Look for reports that name it"), Path: p.OnPageSearch(), Link: t("Search the reports for it"),
			Text: t("A report can name a page in its words. Each report has a link “Is it about you?” that says what you " +
				"can do.")},
		{Head: t("Find out who warns of it"), Text: p.Lang.Sentences(
			t("A wallet or a browser that warns has its own source, and usually names it: ask there."),
			t("Below are the pages of lists that wallets read."))},
		{Head: t("Have ready what shows that it is yours"),
			Text: t("A file or a text on the page, with words that they choose.")},
	}
}
