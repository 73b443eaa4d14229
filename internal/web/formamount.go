package web

import (
	"cmp"
	"strconv"
	"strings"

	"tocsin"
	"tocsin/internal/locale"
	"tocsin/internal/paste"
)

// sum is what an amount may be, to choose.
type sum struct {
	Value  string // the cents
	Text   string
	Chosen bool
}

// amount reads the amount that was lost, as people write it in the language of the page; nil for one of another
// currency, which the draft then has in its own words. What can be read in two ways is asked. The currency is set if it
// was typed with the amount alone. The currency of a country in its own field is that of the amount.
func (f *form) amount(typed string, d *tocsin.Draft) *tocsin.USD {
	comma := strings.Contains(f.lang.Decimal(0.5, 1), ",")
	typed, read, wrong := paste.AmountIn(typed, d.Currency, comma)
	if national := paste.National(d.Currency); national != "" {
		d.Currency = cmp.Or(read.Currency, national)
	}
	if wrong != nil && wrong.Kind == paste.UnclearCurrency && d.Currency != "" {
		read, wrong = paste.Amount(typed+" "+d.Currency, comma)
	}
	if d.Currency == "" {
		d.Currency = read.Currency
	}
	if wrong == nil {
		return &read.USD
	}
	if wrong.Kind == paste.OtherCurrency {
		if d.Description != "" {
			d.Description += "\n\n" + f.lang.Text("Amount lost: %s", typed)
		}
		return nil
	}
	chosen := f.Field(meantField).Text
	for _, cents := range wrong.Readings {
		one := sum{Value: strconv.FormatInt(int64(cents), 10), Text: f.lang.Text("%s US dollars", exact(f.lang, cents))}
		if one.Chosen = one.Value == chosen; one.Chosen {
			read.USD, wrong = cents, nil
		}
		f.Sums = append(f.Sums, one)
	}
	if wrong != nil {
		f.Field(amountField).addProblem(f.lang.Text("it is not clear how much"), amountText(f.lang, *wrong))
	}
	return &read.USD
}

// exact is an amount with its cents, if it has any.
func exact(p *locale.Printer, cents tocsin.USD) string {
	if cents%100 != 0 {
		return p.Decimal(float64(cents)/100, 2)
	}
	return p.Number(int64(cents) / 100)
}
