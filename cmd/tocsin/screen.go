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
	"tocsin/internal/sheet"
	"tocsin/internal/store"
)

type screenFlags struct {
	*commandLine
	file string
	json bool
	csv  bool
}

func newScreen(c *commandLine) runFunc {
	f := &screenFlags{commandLine: c}
	f.StringVar(&f.file, "f", "", "`FILE` of subjects, one per line; - is standard input")
	f.BoolVar(&f.json, "json", false, "print one JSON object per line")
	f.BoolVar(&f.csv, "csv", false, "print a table as CSV ("+strings.Join(sheet.Columns, ",")+")")
	return f.run
}

// screened is a line of `screen -json`: the input, the subject that it names, and
// the screening of the API without its reports.
type screened struct {
	Subject string  `json:"subject"`
	Address *string `json:"address,omitempty"`
	Domain  *string `json:"domain,omitempty"`
	tocsin.Screening

	subject tocsin.Subject
}

func (f *screenFlags) run(ctx context.Context, e env) error {
	if f.csv && f.json {
		return usage("give -csv or -json, not both")
	}
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
	} else if warning != "" && !f.json && !f.csv {
		fmt.Fprintln(e.stderr, "Warning: "+warning)
	}
	lines := json.NewEncoder(e.stdout) // unbuffered, so that each result is available at once
	lines.SetEscapeHTML(false)
	const row = "%-44s %5s  %-8s  %-7s  %7s  %s\n"
	var rows *sheet.Writer
	switch {
	case f.csv:
		rows = sheet.NewWriter(e.stdout)
	case !f.json:
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
		case f.csv && fault != nil:
			err = rows.Failed(subject, sheet.Reason(fault))
		case f.csv:
			err = rows.Screened(subject, s.subject, s.Screening)
		case f.json && fault != nil:
			err = lines.Encode(map[string]string{"subject": subject, "error": sheet.Reason(fault)})
		case f.json:
			err = lines.Encode(s)
		case fault != nil:
			_, err = fmt.Fprintf(e.stdout, row, oneLine(subject, 60), "-", "-", "-", "-", sheet.Reason(fault))
		default:
			_, err = fmt.Fprintf(e.stdout, row, oneLine(subject, 60), strconv.Itoa(s.RiskScore), s.RiskLevel,
				s.Recommendation, strconv.Itoa(s.ReportCount), sheet.Why(s.Screening))
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
	s.subject = subject
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
