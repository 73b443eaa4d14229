package web

import (
	"strconv"
	"strings"

	"tocsin"
	"tocsin/internal/locale"
	"tocsin/internal/paste"
)

// sum is what an amount may be, to choose.
type sum struct {
	Value  string // the cents, or noSum
	Text   string
	Chosen bool
}

// noSum is the choice of no amount at all.
const noSum = "none"

// amount reads the amount that was lost, as people write it in the language of the page; nil for none. What can be read
// in two ways, or is of another currency, is asked. The currency is set if it was typed with the amount alone.
func (f *form) amount(typed string, currency *string) *tocsin.USD {
	read, wrong := paste.Amount(typed, strings.Contains(f.lang.Decimal(0.5, 1), ","))
	if *currency == "" {
		*currency = read.Currency
	}
	if wrong == nil {
		return &read.USD
	}
	chosen := f.Field(meantField).Text
	for _, cents := range wrong.Readings {
		one := sum{Value: strconv.FormatInt(int64(cents), 10), Text: sumText(f.lang, cents, read.Foreign())}
		if one.Chosen = one.Value == chosen; one.Chosen {
			read.USD, wrong = cents, nil
		}
		f.Sums = append(f.Sums, one)
	}
	if read.Foreign() && len(f.Sums) > 0 {
		none := sum{Value: noSum, Text: f.lang.Text("Leave the amount out"), Chosen: chosen == noSum}
		if f.Sums = append(f.Sums, none); none.Chosen {
			return nil
		}
	}
	if wrong != nil {
		f.Field(amountField).addProblem(f.lang.Text("it is not clear how much"), amountText(f.lang, *wrong))
	}
	return &read.USD
}

// sumText is an amount to choose: exact, or roughly that of another currency.
func sumText(p *locale.Printer, cents tocsin.USD, roughly bool) string {
	text := p.Number(int64(cents) / 100)
	if cents%100 != 0 {
		text = p.Decimal(float64(cents)/100, 2)
	}
	if roughly {
		return p.Text("About %s US dollars", text)
	}
	return p.Text("%s US dollars", text)
}
