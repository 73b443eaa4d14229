package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"
	"strings"

	"tocsin"
	"tocsin/internal/feed"
	"tocsin/internal/store"
)

func screenFlags(f *flags) {
	f.StringVar(&f.file, "f", "", "`FILE` of subjects, one a line; - is standard input")
	f.BoolVar(&f.json, "json", false, "one JSON object a line")
}

// screened is a line of `screen -json`: the input as it was, what it was
// understood as, and the screening of the API without its reports.
type screened struct {
	Subject string  `json:"subject"`
	Address *string `json:"address,omitempty"`
	Domain  *string `json:"domain,omitempty"`
	tocsin.Screening
}

func screen(ctx context.Context, w world, f *flags) error {
	subjects, err := f.subjects(w)
	if err != nil {
		return err
	}
	db, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	if done, err := db.Imported(ctx, feed.OFAC); err != nil {
		return err
	} else if !done && !f.json {
		fmt.Fprintln(w.err, "No sanctions are on record here, so none will be found: run `tocsin import ofac`.")
	}
	lines := json.NewEncoder(w.out) // each line goes out at once, to whoever waits for it
	lines.SetEscapeHTML(false)
	const row = "%-44s %5s  %-8s  %-7s  %7s  %s\n"
	if !f.json {
		fmt.Fprintf(w.out, row, "SUBJECT", "SCORE", "LEVEL", "DO", "REPORTS", "WHY")
	}
	faulty := false
	for subject, err := range subjects {
		if err != nil {
			return err
		}
		s, err := screenOne(ctx, db, subject)
		var fault *tocsin.Error
		if err != nil && !errors.As(err, &fault) {
			return err
		}
		faulty = faulty || fault != nil
		switch {
		case f.json && fault != nil:
			err = lines.Encode(map[string]string{"subject": subject, "error": reason(fault)})
		case f.json:
			err = lines.Encode(s)
		case fault != nil:
			_, err = fmt.Fprintf(w.out, row, oneLine(subject, 60), "-", "-", "-", "-", reason(fault))
		default:
			_, err = fmt.Fprintf(w.out, row, oneLine(subject, 60), strconv.Itoa(s.RiskScore), s.RiskLevel, s.Recommendation, strconv.Itoa(s.ReportCount), why(s))
		}
		if err != nil {
			return err
		}
	}
	if faulty {
		return errSilent
	}
	return nil
}

func screenOne(ctx context.Context, db *store.DB, text string) (screened, error) {
	s := screened{Subject: text}
	subject, fault := tocsin.ParseSubject(text)
	if fault != nil {
		return s, fault
	}
	d, err := db.AboutSubject(ctx, subject, store.Page{Limit: store.FirstPage})
	if err != nil {
		return s, err
	}
	s.Screening = tocsin.Screen(d, db.Now().Std())
	name := subject.String()
	if subject.IsAddress() {
		s.Address = &name
	} else {
		s.Domain = &name
	}
	return s, nil
}

// why tells in a few words what the score rests on.
func why(s screened) string {
	switch {
	case len(s.Factors) > 0:
	case s.Safelisted:
		return "on a safelist"
	case s.Result == tocsin.Caution:
		return "reports on record, which score nothing by themselves"
	default:
		return "nothing on record, which does not make it safe"
	}
	parts := make([]string, len(s.Factors))
	for i, f := range s.Factors {
		parts[i] = fmt.Sprintf("%+d %s", f.Points, f.Detail)
	}
	return strings.Join(parts, "; ")
}

func reason(fault *tocsin.Error) string {
	if len(fault.Fields) == 0 {
		return fault.Detail
	}
	return fault.Fields[0].Reason + "; " + fault.Fields[0].Fix
}

// subjects are those of the arguments, else of the file, else of standard input.
func (f *flags) subjects(w world) (iter.Seq2[string, error], error) {
	if len(f.args) > 0 && f.file != "" {
		return nil, usage("give subjects as arguments or in a file, not both")
	}
	if len(f.args) > 0 {
		return func(yield func(string, error) bool) {
			for _, a := range f.args {
				if !yield(a, nil) {
					return
				}
			}
		}, nil
	}
	in := w.in
	if f.file != "" && f.file != "-" {
		file, err := os.Open(f.file)
		if err != nil {
			return nil, err
		}
		in = file // closed with the program, which ends when it is read
	}
	return func(yield func(string, error) bool) {
		lines := bufio.NewReader(in)
		for {
			line, err := lines.ReadString('\n')
			if line != "" && !yield(strings.TrimRight(line, "\r\n"), nil) || errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield("", err)
				return
			}
		}
	}, nil
}
