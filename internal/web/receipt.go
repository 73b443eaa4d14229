package web

import (
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The cookies of a receipt. Browsers send them to the receipt alone: their path is its.
const (
	receiptCookie = "receipt" // the manage token of the report
	againCookie   = "again"   // the report had been filed before
	formerCookie  = "former"  // the id of a report that it corrects and that was not withdrawn

	receiptLife = 24 * time.Hour // unless it is dismissed before
	againLife   = 10 * time.Minute
)

// setReceipt sets a cookie of the receipt at a path. A life of 0 deletes it.
func (s *Site) setReceipt(req *request, name, value, path string, life time.Duration) {
	c := http.Cookie{
		Name:     name,
		Value:    value,
		Path:     path,
		MaxAge:   int(life.Seconds()),
		HttpOnly: true,
		Secure:   s.secure,
		SameSite: http.SameSiteLaxMode,
	}
	if life == 0 {
		c.MaxAge = -1
	}
	req.header.Add("Set-Cookie", c.String())
}

// receipt is the page that follows a filing. A reload shows it again in the browser that has filed the report, until
// it is dismissed; everybody else gets the report.
func (s *Site) receipt(req *request) (*page, error) {
	id := req.PathValue("id")
	token, err := s.receiptToken(req)
	if err != nil {
		return nil, err
	}
	filed := receipt{Token: token}
	if _, err := req.Cookie(againCookie); err == nil {
		filed.Duplicate = true
	}
	if filed.Token == "" && !filed.Duplicate {
		return s.toReport(req)
	}
	r, err := s.db.Report(req.Context(), id)
	if err != nil {
		return nil, err
	}
	shown, err := s.loadReport(req, r)
	if err != nil {
		return nil, err
	}
	filed.First, filed.Help = shown.First, s.helpFor(req, req.URL.Path)
	filed.Former = s.former(req)
	filed.Keyless = r.Reporter == nil && req.token != "" && req.caller() == nil
	shown.Filed = &filed
	p := shown.page()
	p.Secret = true
	switch {
	case filed.Duplicate:
		p.Title = req.lang.Text("We have this report already – %s", p.Title)
	case len(shown.Formers) > 0:
		p.Title = req.lang.Text("Your report is corrected – %s", p.Title)
	default:
		p.Title = req.lang.Text("Your report is public – %s", p.Title)
	}
	return p, nil
}

// receiptToken returns the token of the report that a receipt is for, if this browser has filed it, and "" if not.
func (s *Site) receiptToken(req *request) (string, error) {
	c, err := req.Cookie(receiptCookie)
	if err != nil {
		return "", nil
	}
	if ours, err := s.db.IsManagedBy(req.Context(), req.PathValue("id"), c.Value); err != nil || !ours {
		return "", err
	}
	return c.Value, nil
}

// receiptFile is the code of a report as a file to keep, for the browser that has filed it.
func (s *Site) receiptFile(req *request) (*page, error) {
	id := req.PathValue("id")
	token, err := s.receiptToken(req)
	if err != nil || token == "" {
		return &page{Location: "/reports/" + url.PathEscape(id)}, err
	}
	t := req.lang.Text
	lines := []string{
		t("Your code to correct or remove the report"), token, "",
		t("Your report: %s", s.config.BaseURL+"/reports/"+id),
		t("To correct or remove it, open it and paste the code under “Is this your report?”."),
	}
	return &page{Text: strings.Join(lines, "\n") + "\n", Download: "tocsin-" + id + ".txt"}, nil
}

// dismissReceipt forgets the token in this browser.
func (s *Site) dismissReceipt(req *request) (*page, error) {
	report := "/reports/" + url.PathEscape(req.PathValue("id"))
	for _, name := range []string{receiptCookie, againCookie, formerCookie} {
		s.setReceipt(req, name, "", report+"/receipt", 0)
	}
	return &page{Location: report}, nil
}
