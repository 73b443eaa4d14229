package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"
	"strings"
	"time"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/locale"
	"tocsin/internal/lookalike"
	"tocsin/internal/paste"
	"tocsin/internal/sheet"
	"tocsin/internal/store"
	"tocsin/internal/web"
)

type screenFlags struct {
	nameFlags
	file    string
	context string
	json    bool
	csv     bool
	history bool

	columns  string
	solana   bool
	versions string
	compare  string
	save     string
}

func newScreen(c *commandLine) runFunc {
	f := &screenFlags{nameFlags: nameFlags{commandLine: c}}
	f.nameFlags.register()
	f.StringVar(&f.file, "f", "", "`FILE` of subjects, one per line, or with -csv a table; - is standard input")
	f.StringVar(&f.context, "context", "", fmt.Sprintf("`FILE` of EVM addresses that you pay to, one per line, at most "+
		"%d: an address that looks like one of them is suspicious", tocsin.MaxContacts))
	f.BoolVar(&f.json, "json", false, "print one JSON object per line")
	f.BoolVar(&f.history, "history", false, "with -json, add what lists have said of each subject, as listHistory")
	f.BoolVar(&f.csv, "csv", false, "print a table as CSV ("+strings.Join(sheet.Columns, ",")+
		", and the columns of a table in FILE)")
	f.StringVar(&f.columns, "columns", "", "`NAMES` of the columns to screen with -csv, with commas between them "+
		"(default: those that mostly hold accounts or, without one, that with websites)")
	f.BoolVar(&f.solana, "solana", false, "read what may be an address of Solana, which has no checksum, as one "+
		"(default: only those on record)")
	f.StringVar(&f.versions, "versions", "", "write to this `FILE`, as JSON, the versions of the lists that were used, "+
		"and the SHA-256 of what is printed")
	f.StringVar(&f.compare, "compare", "", "print with -csv only what is not as in `OLD`, an earlier table of -csv or of "+
		"/bulk: new sanctions first, then what has become High or Critical, and new rows of the list with the same")
	f.StringVar(&f.save, "save", "", "with -compare, write the whole table to this `FILE`, to compare with next time")
	return f.run
}

// screened is a line of `screen -json`: the input, the subject that it names, and
// the screening of the API without its reports.
type screened struct {
	Subject string  `json:"subject"`
	Address *string `json:"address,omitempty"`
	Domain  *string `json:"domain,omitempty"`
	tocsin.Screening
	History *[]tocsin.DatedListing `json:"listHistory,omitempty"` // nil without -history

	answer  answer.Answer         // in English
	history []tocsin.DatedListing // without -json, or with -history
}

// because is the reason in a line for people, with what lists have said and dropped.
func (s screened) because() string {
	day := func(at time.Time) string { return at.UTC().Format(time.DateOnly) }
	return strings.Join(s.answer.Reasons(s.history, day), "; ")
}

func (f *screenFlags) run(ctx context.Context, e env) error {
	if f.csv && f.json {
		return usage("give -csv or -json, not both")
	}
	if len(f.args) > 0 && f.file != "" {
		return usage("give subjects as arguments or in a file, not both")
	}
	if f.history && !f.json {
		return usage("-history is for -json; the tables have the history anyway")
	}
	if f.columns != "" && !f.csv {
		return usage("-columns is for -csv")
	}
	if f.compare != "" && !f.csv {
		return usage("-compare is for -csv")
	}
	if f.save != "" && f.compare == "" {
		return usage("-save is for -compare; without it the whole table is printed")
	}
	contacts, err := readContacts(f.context)
	if err != nil {
		return err
	}
	langs, err := locale.Load(locale.Shipped()[0])
	if err != nil {
		return err
	}
	names, model, err := f.detector()
	if err != nil {
		return err
	}
	rows, err := f.tables()
	if err != nil {
		return err
	}
	db, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	inputs, err := f.inputs(ctx, e, db)
	if err != nil {
		return err
	}
	if warning, err := sanctionsWarning(ctx, db); err != nil {
		return err
	} else if warning != "" && !f.json {
		fmt.Fprintln(e.stderr, "Warning: "+warning)
	}
	if _, err := model.follow(); err != nil {
		fmt.Fprintln(e.stderr, "Warning: names are judged by rules alone: "+printable(err))
	}
	record, err := f.record(ctx, db, &e)
	if err != nil {
		return err
	}
	by := &screener{db, names, langs.English(), contacts}
	lines := json.NewEncoder(e.stdout) // unbuffered, so that each result is available at once
	lines.SetEscapeHTML(false)
	const row = "%-44s %5s  %-8s  %-7s  %7s  %s\n"
	if !f.csv && !f.json {
		fmt.Fprintf(e.stdout, row, "SUBJECT", "SCORE", "LEVEL", "DO", "REPORTS", "WHY")
	}
	st, err := db.Stats(ctx)
	if err != nil {
		return err
	}
	form := func() sheet.Form {
		f := inputs.layout().Form()
		f.Recorded, f.Lists = st.SanctionsRecorded(), st.ListNames()
		return f
	}
	count, faults, sanctioned, formerly, levels := 0, 0, 0, 0, map[tocsin.Level]int{}
	for input, err := range inputs.lines {
		if err != nil {
			return err
		}
		if f.csv {
			rows.begin(e.stdout, form(), langs.English())
		}
		subject := input.Text
		s, err := by.screen(ctx, input)
		var fault *tocsin.Error
		if err == nil && (!f.json || f.history) {
			s.history, err = db.ListHistory(ctx, input.Subject)
		}
		if err != nil && !errors.As(err, &fault) {
			return err
		}
		why, meant := "", (*answer.Answer)(nil)
		if fault != nil {
			if meant, err = by.meant(ctx, input); err != nil {
				return err
			}
			inputs.left.addMeant(input, meant)
			why = web.UnreadLine(langs.English(), input, meant) // in the words of the site
			if _, bare := tocsin.BareSolana(input.Text); bare && meant == nil {
				why += " With -solana such texts are read as addresses of Solana."
			}
			faults++
		} else {
			count++
			levels[s.RiskLevel]++
			sanctioned += min(len(s.Sanctions), 1)
			if s.answer.FormerlySanctioned(s.history) {
				formerly++
			}
		}
		switch {
		case f.csv && fault != nil:
			err = rows.write(func(w *sheet.Writer) error { return w.Failed(input, why, meant) })
		case f.csv:
			err = rows.write(func(w *sheet.Writer) error { return w.Screened(input, s.answer, s.history) })
		case f.json && fault != nil:
			err = lines.Encode(newRefused(subject, why, meant))
		case f.json:
			if f.history {
				history := append([]tocsin.DatedListing{}, s.history...)
				s.History = &history
			}
			err = lines.Encode(s)
		case fault != nil:
			_, err = fmt.Fprintf(e.stdout, row, oneLine(subject, 60), "-", "-", "-", "-", why)
		default:
			_, err = fmt.Fprintf(e.stdout, row, oneLine(subject, 60), strconv.Itoa(s.RiskScore), s.RiskLevel,
				s.Recommendation, strconv.Itoa(s.ReportCount), s.because())
		}
		if err != nil {
			return err
		}
	}
	if f.csv {
		rows.begin(e.stdout, form(), langs.English()) // of a list without a line
		if err := rows.finish(); err != nil {
			return err
		}
	}
	if err := inputs.left.print(e.stderr, inputs.layout()); err != nil {
		return err
	}
	if n := inputs.layout().Contrary; n > 0 {
		fmt.Fprintf(e.stderr, "Warning: addresses of another chain than their lines say: %d; the reasons say which\n", n)
	}
	if err := record.write(ctx, db, e, rows); err != nil {
		return err
	}
	if f.csv {
		fmt.Fprintf(e.stderr, "%d screened, %d without a subject; %d critical (of these, sanctioned: %d), %d high",
			count, faults, levels[tocsin.Critical], sanctioned, levels[tocsin.High])
		if formerly > 0 {
			fmt.Fprintf(e.stderr, "; formerly sanctioned: %d", formerly)
		}
		fmt.Fprintln(e.stderr)
	}
	if rows.changes != nil {
		return rows.result(e.stderr)
	}
	if faults == 0 {
		return nil
	}
	return errReported
}

// readContacts reads a file of addresses; none for "".
func readContacts(file string) (contacts []tocsin.Address, err error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		a, fault := tocsin.ParseAddress(line)
		if fault != nil {
			return nil, fmt.Errorf("%s, line %d: %s", file, i+1, printable(fault))
		}
		contacts = append(contacts, a)
	}
	if len(contacts) > tocsin.MaxContacts {
		return nil, fmt.Errorf("%s has %d addresses, and at most %d are compared", file, len(contacts),
			tocsin.MaxContacts)
	}
	return contacts, nil
}

// screener screens what lines name.
type screener struct {
	db       *store.DB
	names    *lookalike.Detector
	lang     *locale.Printer
	contacts []tocsin.Address
}

// screen screens the subject of a line.
func (by *screener) screen(ctx context.Context, l sheet.Line) (screened, error) {
	s := screened{Subject: l.Text}
	if l.Fault != nil {
		return s, l.Fault
	}
	d, err := by.db.AboutSubject(ctx, l.Subject, store.Page{})
	if err != nil {
		return s, err
	}
	found, err := by.db.AddressFindings(ctx, []tocsin.Subject{l.Subject}, []*store.Dossier{d}, by.contacts)
	if err != nil {
		return s, err
	}
	judged := d.Dossier
	judged.Address = found[0]
	a := answer.New(by.lang, l.Subject, by.names.About(l.Subject, &judged), by.db.Now().Std())
	called, err := by.db.PartiesCalled(ctx, l.Subject)
	a.Namesakes = called[l.Subject]
	s.Screening, s.answer = a.Screening, a
	name := l.Subject.String()
	if l.Subject.IsAddress() {
		s.Address = &name
	} else {
		s.Domain = &name
	}
	return s, err
}

// meant screens the account that a line without a subject means; nil if it means none.
func (by *screener) meant(ctx context.Context, l sheet.Line) (*answer.Answer, error) {
	if l.Meant == (tocsin.Subject{}) {
		return nil, nil
	}
	s, err := by.screen(ctx, sheet.Line{Text: l.Text, Subject: l.Meant})
	return &s.answer, err
}

// inputs are the lines of what is screened.
type inputs struct {
	lines  iter.Seq2[sheet.Line, error]
	layout func() sheet.Layout // of a table, once a line was read
	left   *leftAccounts       // of a table; nil of other lines
}

// inputs returns the subjects of the arguments, of the file, or of standard input.
func (f *screenFlags) inputs(ctx context.Context, e env, db *store.DB) (inputs, error) {
	none := func() sheet.Layout { return sheet.Layout{} }
	// A database that does not answer fails at the next line that it is asked for.
	solana := func(s tocsin.Subject) bool {
		known, err := db.OnRecord(ctx, s)
		return f.solana || err == nil && known[0]
	}
	options := sheet.Options{Names: splitNames(f.columns), Solana: solana, Token: func(t paste.Transfer) bool {
		known, err := db.KnownToken(ctx, t.Token, t.Chain)
		return err == nil && known // as above
	}, Respelled: func(text string) tocsin.Subject {
		meant, err := db.Respelled(ctx, text)
		if err != nil {
			return tocsin.Subject{} // as above
		}
		return meant[0]
	}}
	if len(f.args) > 0 {
		return inputs{func(yield func(sheet.Line, error) bool) {
			for _, a := range f.args {
				if !yield(sheet.One(a, options), nil) {
					return
				}
			}
		}, none, nil}, nil
	}
	in := e.stdin
	if f.file != "" && f.file != "-" {
		file, err := os.Open(f.file)
		if err != nil {
			return inputs{}, err
		}
		in = file // not closed: the program ends when it has read it
	}
	lines := sheet.NewLines(in)
	read, layout := func() (sheet.Line, error) { // also an empty one: with -json each has one line of output
		text, err := lines.Next()
		return sheet.One(text, options), err
	}, none
	var left *leftAccounts
	if f.csv {
		left = &leftAccounts{}
		options.Left = func(l sheet.Left) { left.add(ctx, db, l) }
		table := sheet.NewReader(in, options)
		read, layout = table.Read, func() sheet.Layout { return table.Layout }
	}
	return inputs{func(yield func(sheet.Line, error) bool) {
		for {
			line, err := read()
			if errors.Is(err, io.EOF) || !yield(line, err) || err != nil {
				return
			}
		}
	}, layout, left}, nil
}

// splitNames are names with commas between them; nil for none.
func splitNames(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}
