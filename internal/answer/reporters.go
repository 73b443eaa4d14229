package answer

// reportersText says who filed the reports: how many accounts, whether they were right before, and how many reports
// are anonymous or come from lists.
func (a Answer) reportersText() string {
	text := []string{a.accountsText(), a.anonymousText()}
	filed := 0
	for _, o := range a.Dossier.Reporters {
		filed += o.Reports
	}
	switch listed := a.ReportCount - filed; {
	case listed > 0 && filed == 0:
		text = append(text, a.Lang.Text("All reports come from public lists."))
	case listed > 0:
		text = append(text, a.Lang.Text("%d reports come from public lists.", listed))
	}
	return a.Lang.Sentences(text...)
}

// accountsText says how many accounts reported the subject, and whether they were right before; "" for none.
func (a Answer) accountsText() string {
	accounts, reports := 0, 0
	for _, o := range a.Dossier.Reporters {
		if o.Agent != "" {
			accounts++
			reports += o.Reports
		}
	}
	t := a.Lang.Text
	switch proven := a.provenReporters(); {
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
func (a Answer) anonymousText() string {
	anonymous := 0
	for _, o := range a.Dossier.Reporters {
		if o.Agent == "" {
			anonymous += o.Reports
		}
	}
	switch anonymous {
	case 0:
		return ""
	case 1:
		return a.Lang.Text("One anonymous report. On its own that counts for little.")
	}
	return a.Lang.Text("%d anonymous reports. All of them may be by one person, so they count for little.", anonymous)
}

// OneReport reports whether all that is on record is one report.
func (a Answer) OneReport() bool { return a.ReportCount == 1 && len(a.sources()) == 0 }

// SourceCount says how many lists and reports name the subject, on the page of a report.
func (a Answer) SourceCount() string {
	parts := a.sources()
	switch {
	case a.OneReport():
		return a.Lang.Text("this report alone")
	case a.ReportCount == 1:
		parts = append(parts, a.Lang.Text("this report"))
	case a.ReportCount > 1:
		parts = append(parts, a.Lang.Text("%d reports", a.ReportCount))
	}
	return a.Lang.List(parts...)
}
