package locale

import (
	"fmt"
	"html/template"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/message"
	"golang.org/x/text/number"
)

// Printer writes texts, numbers and times in one language. It is safe for concurrent use.
type Printer struct {
	Tag  string // BCP 47, such as zh-Hans
	Name string // of the language, in itself
	// Dense says that no space is between sentences, as in Chinese, where their punctuation has room of its own.
	Dense bool

	dates   Dates
	printer func() *message.Printer // of the texts, which are read at the first call
}

// Text writes a text. An argument that is a [Key] is translated too; a whole number is written as [Printer.Number]
// does, and chooses the form of a text that has several.
func (p *Printer) Text(text Key, args ...any) string {
	for i, arg := range args {
		if key, ok := arg.(Key); ok {
			args = append([]any{}, args...)
			args[i] = p.Text(key)
		}
	}
	return p.printer().Sprintf(string(text), args...)
}

// HTML writes a text that has tags in it, as a part of a page. Arguments other than template.HTML are escaped. One that
// is all of the target of a link must be a path or a URL of the web or of a mail; anything else becomes "#".
func (p *Printer) HTML(text Key, args ...any) template.HTML {
	links := linkArguments(string(text))
	escaped := make([]any, len(args))
	for i, arg := range args {
		switch arg := arg.(type) {
		case template.HTML:
			escaped[i] = string(arg)
		case int, int64, uint64:
			escaped[i] = arg // which the form may depend on
		case Key:
			escaped[i] = template.HTMLEscapeString(p.Text(arg))
		default:
			escaped[i] = template.HTMLEscapeString(fmt.Sprint(arg))
		}
		if s, ok := escaped[i].(string); ok && links[i+1] && !isLink(s) {
			escaped[i] = "#"
		}
	}
	return template.HTML(p.printer().Sprintf(string(text), escaped...))
}

// linkArguments returns which arguments of a text, from 1, are all of the target of a link.
func linkArguments(text string) map[int]bool {
	if !strings.Contains(text, `href="%`) {
		return nil
	}
	links, next := map[int]bool{}, 1
	for _, at := range placeholder.FindAllStringSubmatchIndex(text, -1) {
		if at[4] < 0 || text[at[4]] == '%' {
			continue
		}
		if at[2] >= 0 {
			next, _ = strconv.Atoi(text[at[2]:at[3]])
		}
		if strings.HasSuffix(text[:at[0]], `href="`) {
			links[next] = true
		}
		next++
	}
	return links
}

var linkForm = regexp.MustCompile(`^(?:https?://|mailto:|[/#?])`)

func isLink(target string) bool { return linkForm.MatchString(target) }

// Number writes a whole number.
func (p *Printer) Number(n int64) string {
	if n < 0 {
		return "−" + p.Number(-n)
	}
	return p.printer().Sprint(number.Decimal(n))
}

// Decimal writes a number with some digits after the point.
func (p *Printer) Decimal(x float64, digits int) string {
	return p.printer().Sprint(number.Decimal(x, number.Scale(digits)))
}

// Amount writes a decimal number of any length, such as 12400.5, with all its digits; "" for "".
func (p *Printer) Amount(decimal string) string {
	whole, rest, _ := strings.Cut(decimal, ".")
	if n, err := strconv.ParseInt(whole, 10, 64); err == nil {
		whole = p.Number(n)
	} else {
		million := p.Number(1_234_567)
		for at := len(whole) - 3; at > 0; at -= 3 {
			whole = whole[:at] + million[1:strings.Index(million, "2")] + whole[at:]
		}
	}
	if rest == "" {
		return whole
	}
	return whole + strings.Trim(p.Decimal(0.5, 1), "05") + rest
}

// Dollars writes an amount of US dollars, given in cents: with them if it is below 1,000.
func (p *Printer) Dollars(cents int64) string {
	if cents%100 != 0 && cents < 100_000 {
		return p.Decimal(float64(cents)/100, 2) + " USD"
	}
	return p.Number(int64(math.Round(float64(cents)/100))) + " USD"
}

// Sentences joins sentences, without those that are empty.
func (p *Printer) Sentences(parts ...string) string {
	between := " "
	if p.Dense {
		between = ""
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), between)
}

// List joins the parts of a list.
func (p *Printer) List(parts ...string) string {
	if len(parts) == 0 {
		return ""
	}
	all := parts[0]
	for _, part := range parts[1:] {
		all = p.Text("%s, %s", all, part)
	}
	return all
}

// Dates is how a language writes times: as the layouts of package time, with names of its own for months.
type Dates struct {
	Months []string // January to December, as in a layout with January; empty for the English ones
	Short  []string // as in a layout with Jan; empty for the English ones
	Day    string   // 2 Jan 2006
	Long   string   // 2 January 2006
	Minute string   // 2 Jan 2006, 15:04 UTC
}

func (d Dates) format(layout string, t time.Time) string {
	text, m := t.UTC().Format(layout), t.UTC().Month()
	switch {
	case strings.Contains(layout, "January") && len(d.Months) > 0:
		return strings.Replace(text, m.String(), d.Months[m-1], 1)
	case strings.Contains(layout, "Jan") && len(d.Short) > 0:
		return strings.Replace(text, m.String()[:3], d.Short[m-1], 1)
	}
	return text
}

// Day writes a day in UTC.
func (p *Printer) Day(t time.Time) string { return p.dates.format(p.dates.Day, t) }

// Long writes a day in UTC, with the name of the month.
func (p *Printer) Long(t time.Time) string { return p.dates.format(p.dates.Long, t) }

// Minute writes a day and the time of it in UTC.
func (p *Printer) Minute(t time.Time) string { return p.dates.format(p.dates.Minute, t) }

// Second writes a day and the time of it in UTC, to the second.
func (p *Printer) Second(t time.Time) string {
	return p.dates.format(strings.Replace(p.dates.Minute, "15:04", "15:04:05", 1), t)
}

// Date writes a day in UTC as a heading, seen from now: today and yesterday in words.
func (p *Printer) Date(t, now time.Time) string {
	switch day := now.UTC().Truncate(24 * time.Hour); {
	case !t.Before(day):
		return p.Text("Today")
	case !t.Before(day.Add(-24 * time.Hour)):
		return p.Text("Yesterday")
	}
	return p.Long(t)
}

// When writes when something was, seen from now: today and yesterday with the time. Midnight, to the nanosecond, is
// that of a source that gives the day only.
func (p *Printer) When(t, now time.Time) string {
	at := t.UTC()
	today := now.UTC().Truncate(24 * time.Hour)
	whole := at.Equal(at.Truncate(24 * time.Hour))
	switch {
	case !at.Before(today) && whole:
		return p.Text("today")
	case !at.Before(today):
		return p.Text("today, %s", at.Format("15:04"))
	case !at.Before(today.Add(-24*time.Hour)) && whole:
		return p.Text("yesterday")
	case !at.Before(today.Add(-24 * time.Hour)):
		return p.Text("yesterday, %s", at.Format("15:04"))
	}
	return p.Long(t)
}

// Span writes a duration in its one or two largest units. A negative one is written as none.
func (p *Printer) Span(d time.Duration) string {
	d = max(d, 0)
	days, hours, minutes := int(d.Hours())/24, int(d.Hours())%24, int(d.Minutes())%60
	switch {
	case days >= 3 || days > 0 && hours == 0:
		return p.Text("%d days", days)
	case days > 0:
		return p.Text("%d days %d h", days, hours)
	case hours > 0 && minutes > 0:
		return p.Text("%d h %d min", hours, minutes)
	case hours > 0:
		return p.Text("%d h", hours)
	case minutes == 0:
		return p.Text("under a minute")
	}
	return p.Text("%d min", minutes)
}
