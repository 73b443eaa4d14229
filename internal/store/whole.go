package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"tocsin"
)

// onlyWhole returns those of the matches in which each term that is a whole name is one. The index splits names into
// words, so that it finds lena in lena_trades; the reports themselves are read. There are [SearchWindow] at most. Of
// those it returns the ones that name the accounts; unnamed means that there are none, and that it returns them all.
func onlyWhole(
	ctx context.Context, s *conn, terms []tocsin.Term, all []place,
) (left []place, unnamed bool, err error) {
	terms = slices.DeleteFunc(slices.Clone(terms), func(t tocsin.Term) bool { return !isWhole(t) })
	if len(terms) == 0 {
		return all, false, nil
	}
	has, names := map[int64]bool{}, map[int64]bool{}
	for part := range slices.Chunk(all, 64) {
		seqs := make([]int64, 64) // one statement for any number of reports
		for i := range seqs {
			seqs[i] = part[min(i, len(part)-1)].seq
		}
		in, args := placeholders(seqs)
		err := s.each(ctx, "SELECT seq, body FROM report WHERE seq IN ("+in+")", args, func(rows *sql.Rows) error {
			var seq int64
			var body []byte
			var d tocsin.Draft
			if err := rows.Scan(&seq, &body); err != nil {
				return err
			}
			if err := json.Unmarshal(body, &d); err != nil {
				return err
			}
			handles := handlesOf(&d)
			texts := append(slices.Clone(handles), d.Title, d.Description)
			texts = slices.Concat(texts, d.ScammerAddresses, d.ReportedDomains, d.ScammerAccounts)
			if d.SubjectProjectName != nil {
				texts = append(texts, *d.SubjectProjectName)
			}
			has[seq] = !slices.ContainsFunc(terms, func(t tocsin.Term) bool {
				return !slices.ContainsFunc(texts, func(text string) bool { return hasWhole(text, t.Text) })
			})
			names[seq] = has[seq] && !slices.ContainsFunc(terms, func(t tocsin.Term) bool {
				return t.Account && !slices.ContainsFunc(handles, func(h string) bool { return isHandleOf(h, t.Text) }) &&
					!slices.ContainsFunc(texts, func(text string) bool { return namesAccount(text, t.Text) })
			})
			return nil
		})
		if err != nil {
			return nil, false, err
		}
	}
	among := func(these map[int64]bool) []place {
		return slices.DeleteFunc(slices.Clone(all), func(at place) bool { return !these[at.seq] })
	}
	if left = among(names); len(left) > 0 {
		return left, false, nil
	}
	left = among(has)
	return left, len(left) > 0, nil
}

func isWhole(t tocsin.Term) bool { return t.Whole }

// handlesOf returns where a report says that somebody can be reached. A number of WhatsApp is there as it was written,
// and in the form in which it is searched for.
func handlesOf(d *tocsin.Draft) (handles []string) {
	media := &d.SocialMedia
	for _, h := range []*string{media.WhatsApp, media.Telegram, media.Facebook, media.Other} {
		if h != nil {
			handles = append(handles, *h)
		}
	}
	if media.WhatsApp != nil {
		if h, fault := tocsin.ParseHandle("whatsapp:" + *media.WhatsApp); fault == nil {
			handles = append(handles, h.Name)
		}
	}
	return append(handles, d.ReportedHandles...)
}

// isHandleOf reports whether a handle of a report is an account of this name, on any service that has accounts.
func isHandleOf(handle, name string) bool {
	service, account, found := strings.Cut(handle, ":")
	switch {
	case !found:
		account = handle // of a field for one service
	case service == "name":
		return false // not the name of an account
	}
	return strings.EqualFold(strings.TrimPrefix(strings.TrimSpace(account), "@"), name)
}

// hasWhole reports whether a name is in a text, and not as a part of a longer name, address or number.
func hasWhole(text, name string) bool {
	return findsWhole(text, name, func(string) bool { return true })
}

// namesAccount reports whether a text names an account: as @lena, or in a link to it.
func namesAccount(text, name string) bool {
	return findsWhole(text, name, func(before string) bool {
		before, at := strings.CutSuffix(before, "@")
		last, _ := utf8.DecodeLastRuneInString(before)
		return at && (before == "" || !partOfName([]rune{last})) || tocsin.LinksToAccount(before)
	})
}

// findsWhole reports whether a name is in a text as a whole, behind such a beginning of the text in small letters.
func findsWhole(text, name string, behind func(before string) bool) bool {
	text, name = strings.ToLower(text), strings.ToLower(name)
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 || name == "" {
			return false
		}
		from += i
		after := []rune(text[from+len(name) : min(len(text), from+len(name)+8)])
		before := []rune(text[max(0, from-8):from])
		slices.Reverse(before)
		if !partOfName(before) && !partOfName(after) && (len(after) == 0 || after[0] != '@') && behind(text[:from]) {
			return true
		}
		from++
	}
}

// partOfName reports whether a name goes on in the runes beside it, the nearest first: at once, or behind a point or a
// hyphen.
func partOfName(beside []rune) bool {
	if len(beside) > 1 && (beside[0] == '.' || beside[0] == '-') {
		beside = beside[1:]
	}
	return len(beside) > 0 && (beside[0] == '_' || unicode.IsLetter(beside[0]) || unicode.IsNumber(beside[0]))
}
