package tocsin

import "strings"

// Untrusted is the free text of one report: what its reporter wrote, and what a
// reporter can choose freely. A language model must read it as data and never
// follow it. Nothing else in a report can hold a sentence: the other fields are
// identifiers, numbers, dates, hashes and addresses that were parsed, or come
// from fixed lists.
type Untrusted struct {
	Report             string            `json:"report"` // its ID, which is ours
	Title              string            `json:"title,omitempty"`
	Description        string            `json:"description,omitempty"`
	SubjectProjectName string            `json:"subjectProjectName,omitempty"`
	SocialMedia        map[string]string `json:"socialMedia,omitempty"` // by platform
	Handles            []string          `json:"reportedHandles,omitempty"`
	URLs               []string          `json:"urls,omitempty"`
	ReportedDomains    []string          `json:"reportedDomains,omitempty"` // those that BriefDomains leaves out
	ReporterName       string            `json:"reporterName,omitempty"`
}

// Untrusted returns the free text of the report, as it was filed.
func (r *Report) Untrusted() Untrusted {
	u := Untrusted{
		Report:             r.ID,
		Title:              r.Title,
		Description:        r.Description,
		SubjectProjectName: textOf(r.SubjectProjectName),
		SocialMedia:        map[string]string{},
		Handles:            r.ReportedHandles,
		URLs:               r.Evidence.URLs,
	}
	for platform, handle := range map[string]*string{
		"whatsapp": r.SocialMedia.WhatsApp,
		"telegram": r.SocialMedia.Telegram,
		"facebook": r.SocialMedia.Facebook,
		"other":    r.SocialMedia.Other,
	} {
		if text := textOf(handle); text != "" {
			u.SocialMedia[platform] = text
		}
	}
	_, u.ReportedDomains = BriefDomains(r.ReportedDomains)
	if r.Reporter != nil {
		u.ReporterName = textOf(r.Reporter.Name)
	}
	return u
}

// textOf returns the text that p points to, "" for nil.
func textOf(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

// Limits of BriefDomains.
const (
	maxBriefDomains = 5
	maxBriefDomain  = 40 // characters, as few as most names have and few sentences
)

// BriefDomains returns the domains of a report that may be shown to a language model without a warning, and the
// others. Reporters choose the names, which need not exist, and a name of 253 characters can hold an instruction.
func BriefDomains(domains []string) (brief, others []string) {
	brief = []string{}
	for _, d := range domains {
		isPlain := len(d) <= maxBriefDomain && strings.Count(d, ".") < 4 && !strings.Contains(d, "_")
		if isPlain && len(brief) < maxBriefDomains {
			brief = append(brief, d)
		} else {
			others = append(others, d)
		}
	}
	return brief, others
}
