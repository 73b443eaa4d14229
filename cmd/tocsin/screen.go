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
	"tocsin/internal/store"
)

type screenFlags struct {
	*commandLine
	file string
	json bool
}

func newScreen(c *commandLine) runFunc {
	f := &screenFlags{commandLine: c}
	f.StringVar(&f.file, "f", "", "`FILE` of subjects, one per line; - is standard input")
	f.BoolVar(&f.json, "json", false, "print one JSON object per line")
	return f.run
}

// screened is a line of `screen -json`: the input, the subject that it names, and
// the screening of the API without its reports.
type screened struct {
	Subject string  `json:"subject"`
	Address *string `json:"address,omitempty"`
	Domain  *string `json:"domain,omitempty"`
	tocsin.Screening
}

func (f *screenFlags) run(ctx context.Context, e env) error {
	subjects, err := f.subjects(e)
	if err != nil {
		return err
	}
	db, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	if warning, err := sanctionsWarning(ctx, db); err != nil {
		return err
	} else if warning != "" && !f.json {
		fmt.Fprintln(e.stderr, "Warning: "+warning)
	}
	lines := json.NewEncoder(e.stdout) // unbuffered, so that each result is available at once
	lines.SetEscapeHTML(false)
	const row = "%-44s %5s  %-8s  %-7s  %7s  %s\n"
	if !f.json {
		fmt.Fprintf(e.stdout, row, "SUBJECT", "SCORE", "LEVEL", "DO", "REPORTS", "WHY")
	}
	invalid := false
	for subject, err := range subjects {
		if err != nil {
			return err
		}
		s, err := screenOne(ctx, db, subject)
		var fault *tocsin.Error
		if err != nil && !errors.As(err, &fault) {
			return err
		}
		invalid = invalid || fault != nil
		switch {
		case f.json && fault != nil:
			err = lines.Encode(map[string]string{"subject": subject, "error": reason(fault)})
		case f.json:
			err = lines.Encode(s)
		case fault != nil:
			_, err = fmt.Fprintf(e.stdout, row, oneLine(subject, 60), "-", "-", "-", "-", reason(fault))
		default:
			_, err = fmt.Fprintf(e.stdout, row, oneLine(subject, 60), strconv.Itoa(s.RiskScore), s.RiskLevel,
				s.Recommendation, strconv.Itoa(s.ReportCount), why(s))
		}
		if err != nil {
			return err
		}
	}
	if invalid {
		return errReported
	}
	return nil
}

// screenOne screens the subject that a text names.
func screenOne(ctx context.Context, db *store.DB, text string) (screened, error) {
	s := screened{Subject: text}
	subject, fault := tocsin.ParseSubject(text)
	if fault != nil {
		return s, fault
	}
	d, err := db.AboutSubject(ctx, subject, store.Page{})
	if err != nil {
		return s, err
	}
	s.Screening = tocsin.Screen(&d.Dossier, db.Now().Std())
	name := subject.String()
	if subject.IsAddress() {
		s.Address = &name
	} else {
		s.Domain = &name
	}
	return s, nil
}

// why explains the score in a few words.
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

// reason explains why a text is not a subject.
func reason(fault *tocsin.Error) string {
	if len(fault.Fields) == 0 {
		return fault.Detail
	}
	return fault.Fields[0].Reason + "; " + fault.Fields[0].Fix
}

// subjects returns the subjects of the arguments, of the file, or of standard input.
func (f *screenFlags) subjects(e env) (iter.Seq2[string, error], error) {
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
	in := e.stdin
	if f.file != "" && f.file != "-" {
		file, err := os.Open(f.file)
		if err != nil {
			return nil, err
		}
		in = file // not closed: the program ends when it has read it
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
