package web

import (
	"fmt"
	"strings"
)

// reportersText says who filed the reports: how many accounts, whether they were right before, and how many reports
// are anonymous or come from lists.
func (sc screening) reportersText() string {
	var text []string
	for _, part := range []string{sc.accountsText(), sc.anonymousText()} {
		if part != "" {
			text = append(text, part)
		}
	}
	filed := 0
	for _, o := range sc.dossier.Reporters {
		filed += o.Reports
	}
	switch listed := sc.ReportCount - filed; {
	case listed == 1 && filed == 0:
		text = append(text, "It comes from a public list.")
	case listed > 1 && filed == 0:
		text = append(text, "They come from public lists.")
	case listed > 0:
		text = append(text, plural(listed, "report")+" from public lists.")
	}
	return strings.Join(text, " ")
}

// accountsText says how many accounts reported the subject, and whether they were right before; "" for none.
func (sc screening) accountsText() string {
	accounts, reports := 0, 0
	for _, o := range sc.dossier.Reporters {
		if o.Agent != "" {
			accounts++
			reports += o.Reports
		}
	}
	from := fmt.Sprintf("%s from %s.", plural(reports, "report"), plural(accounts, "account"))
	switch proven := sc.provenReporters(); {
	case accounts == 0:
		return ""
	case accounts == 1 && proven == 1:
		return from + " Lists have confirmed what it reported before."
	case accounts == 1:
		return from + " It has not been proved right before."
	case proven == 0:
		return from + " None of them has been proved right before."
	case proven == 1:
		return from + " One of them has been proved right before."
	default:
		return fmt.Sprintf("%s %d of them have been proved right before.", from, proven)
	}
}

// anonymousText says how many reports are anonymous; "" for none.
func (sc screening) anonymousText() string {
	anonymous := 0
	for _, o := range sc.dossier.Reporters {
		if o.Agent == "" {
			anonymous += o.Reports
		}
	}
	switch anonymous {
	case 0:
		return ""
	case 1:
		return "One anonymous report. On its own that counts for little."
	}
	return number(anonymous) + " anonymous reports. All of them may be by one person, so they count for little."
}
