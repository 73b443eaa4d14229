package web

import "strings"

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
	case listed > 0 && filed == 0:
		text = append(text, sc.lang.Text("All reports come from public lists."))
	case listed > 0:
		text = append(text, sc.lang.Text("%d reports come from public lists.", listed))
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
	t := sc.lang.Text
	switch proven := sc.provenReporters(); {
	case accounts == 0:
		return ""
	case accounts == 1 && proven == 1:
		return t("%d reports from one account. Lists have confirmed what it reported before.", reports)
	case accounts == 1:
		return t("%d reports from one account. It has not been proved right before.", reports)
	case proven == 0:
		return t("%d reports from %d accounts. None of them has been proved right before.", reports, accounts)
	case proven == 1:
		return t("%d reports from %d accounts. One of them has been proved right before.", reports, accounts)
	default:
		return t("%d reports from %d accounts. %d of them have been proved right before.", reports, accounts, proven)
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
		return sc.lang.Text("One anonymous report. On its own that counts for little.")
	}
	return sc.lang.Text("%d anonymous reports. All of them may be by one person, so they count for little.", anonymous)
}
