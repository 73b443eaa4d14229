package web

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"tocsin"
)

// sureField is the button of the page that asks whether a report is to be withdrawn for good.
const sureField = "sure"

// withdrawPage asks so.
type withdrawPage struct{ ID, Code string }

// manageToken matches the code of a report, in whatever it was pasted with, such as the file that the receipt offers.
var manageToken = regexp.MustCompile(`man_[a-z2-7]{38}`)

// withdraw withdraws a report by its code, after a page that asks once more: it cannot be undone.
func (s *Site) withdraw(req *request) (*page, error) {
	id, typed := req.PathValue("id"), req.PostFormValue("token")
	code := cmp.Or(manageToken.FindString(typed), strings.TrimSpace(typed))
	if !req.PostForm.Has(sureField) {
		ours, err := s.db.IsManagedBy(req.Context(), id, code)
		if err != nil {
			return nil, err
		}
		if !ours {
			return s.wrongCode(req)
		}
		return &page{Template: "withdraw", Title: req.lang.Text("Withdraw for good?"), Secret: true,
			Body: withdrawPage{id, code}}, nil
	}
	err := s.api.Withdraw(req.Context(), id, code, "")
	var fault *tocsin.Error
	if errors.As(err, &fault) && fault.Code == tocsin.Forbidden {
		return s.wrongCode(req)
	}
	if err != nil {
		return nil, err
	}
	return errorPage(http.StatusOK, req.lang.Text("Your report is withdrawn"), req.lang.Text(
		"Nobody finds it any more, and it counts in no score. Its address says that it was taken back.")), nil
}

// toReport redirects a reload of the page that answered a withdrawal.
func (s *Site) toReport(req *request) (*page, error) {
	return &page{Location: "/reports/" + url.PathEscape(req.PathValue("id"))}, nil
}
