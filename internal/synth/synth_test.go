package synth

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
)

// reports returns the first n reports of a seed.
func reports(n int, seed uint64) []tocsin.Draft {
	drafts := make([]tocsin.Draft, 0, n)
	for d := range Reports(seed) {
		if drafts = append(drafts, d); len(drafts) == n {
			break
		}
	}
	return drafts
}

func written(t *testing.T, n int, seed uint64) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, n, seed); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestEveryDraftPassesParseUnchanged(t *testing.T) {
	for seed := range uint64(4) {
		for i, d := range reports(2000, seed) {
			// Parsed on the day of its publication: no incident is ahead of its report.
			parsed, err := d.Parse(d.SourceDate.Std())
			if err != nil {
				t.Fatalf("seed %d, report %d: %v\n%+v", seed, i, err, d)
			}
			if !reflect.DeepEqual(parsed, d) {
				t.Fatalf("seed %d, report %d: Parse made\n%+v\nof\n%+v", seed, i, parsed, d)
			}
		}
	}
}

func TestAnOpenerBreaksEverySeedPhrase(t *testing.T) {
	d := reports(1, 1)[0]
	for _, o := range openers {
		d.Description = strings.Repeat(o+" ", 12)
		if _, err := d.Parse(d.SourceDate.Std()); err != nil {
			t.Errorf("%q: %v", o, err)
		}
	}
	for _, d := range reports(2000, 1) {
		for s := range strings.SplitSeq(d.Description, ".") {
			if n := len(strings.Fields(s)); n > 11 {
				t.Fatalf("a sentence of %d words: %s", n, s)
			}
		}
	}
}

func TestTheSameSeedGivesTheSameBytes(t *testing.T) {
	a := written(t, 1000, 7)
	if !bytes.Equal(a, written(t, 1000, 7)) {
		t.Error("two files of one seed differ")
	}
	if bytes.Equal(a, written(t, 1000, 8)) {
		t.Error("two seeds give the same file")
	}
}

func TestALongerFileBeginsWithTheShorterOne(t *testing.T) {
	long := written(t, 1000, 7)
	for _, n := range []int{0, 1, 999} {
		short := written(t, n, 7)
		if !bytes.HasPrefix(long, short) || bytes.Count(short, []byte("\n")) != n {
			t.Errorf("the file of %d reports does not begin the file of 1000", n)
		}
	}
}

func TestALineIsADraftWithItsKeyAndInstant(t *testing.T) {
	drafts := reports(500, 3)
	keys := map[string]bool{}
	for line := range bytes.Lines(written(t, len(drafts), 3)) {
		var got struct {
			Key string `json:"key"`
			tocsin.Draft
			PublishedAt tocsin.Time `json:"publishedAt"`
		}
		lines := json.NewDecoder(bytes.NewReader(line))
		lines.DisallowUnknownFields()
		if err := lines.Decode(&got); err != nil {
			t.Fatal(err)
		}
		got.SourceDate = got.PublishedAt
		if !reflect.DeepEqual(got.Draft, drafts[len(keys)]) {
			t.Fatalf("%s: read back as\n%+v\ninstead of\n%+v", got.Key, got.Draft, drafts[len(keys)])
		}
		keys[got.Key] = true
	}
	if len(keys) != len(drafts) || !keys["synthetic-000001"] || !keys["synthetic-000500"] {
		t.Errorf("%d keys for %d reports", len(keys), len(drafts))
	}
}

func TestEveryDraftIsMarkedAsSynthetic(t *testing.T) {
	for _, d := range reports(2000, 1) {
		if !strings.HasPrefix(d.Title, "Synthetic report") || !strings.HasPrefix(*d.SubjectProjectName, "Synthetic ") {
			t.Errorf("neither %q nor %q says so", d.Title, *d.SubjectProjectName)
		}
		for _, s := range slices.Concat(d.ScammerAddresses, d.Evidence.TransactionHashes) {
			if !strings.HasPrefix(strings.ToLower(s), Mark) {
				t.Errorf("%s does not begin with %s", s, Mark)
			}
		}
		for _, name := range d.ReportedDomains {
			if _, tld, _ := strings.Cut(name, "."); tld != "example" && tld != "test" && tld != "invalid" {
				t.Errorf("%s is under no reserved name", name)
			}
		}
		for _, u := range d.Evidence.URLs {
			if !strings.HasPrefix(u, "https://example.com/") {
				t.Errorf("%s is not at example.com", u)
			}
		}
	}
}

func TestEveryDateLiesInTheFixedYears(t *testing.T) {
	for _, d := range reports(5000, 1) {
		dates := []string{d.SourceDate.String()[:len(time.DateOnly)]}
		if d.IncidentDate != nil {
			dates = append(dates, *d.IncidentDate)
		}
		for _, date := range dates {
			if date < "2021-01-01" || date > "2025-12-31" {
				t.Errorf("%s", date)
			}
		}
	}
}

func TestWordsAreSpreadAsInALanguage(t *testing.T) {
	const n = 10_000
	in := map[string]int{} // the number of reports that have the word
	for _, d := range reports(n, 1) {
		seen := map[string]bool{}
		for _, w := range strings.Fields(strings.ToLower(d.Description)) {
			seen[strings.Trim(w, ",.")] = true
		}
		for w := range seen {
			in[w]++
		}
	}
	if in["the"] < n/2 || in["wallet"] < n/4 {
		t.Errorf("%d of %d reports have the, %d have wallet", in["the"], n, in["wallet"])
	}
	percent, once := 0, 0
	for _, df := range in {
		if df >= n*8/1000 && df <= n*12/1000 {
			percent++
		}
		if df == 1 {
			once++
		}
	}
	if percent < 50 || once < len(in)/10 {
		t.Errorf("of %d words %d are in about 1 %% of the reports and %d in one report only", len(in), percent, once)
	}
	l := wordDistribution()
	last := (l[len(l)-1] - l[len(l)-2]) / l[len(l)-1] * 400_000 * 53 // 60 words, less the openers
	if last < 5 || last > 15 {
		t.Errorf("the rarest word is %.1f times in 400,000 reports", last)
	}
}

func TestTheVocabularyHasNoWordTwice(t *testing.T) {
	words := map[string]bool{}
	for _, w := range vocabulary() {
		words[w] = true
	}
	if len(words) != wordCount {
		t.Errorf("%d different words", len(words))
	}
}

func TestAFewSubjectsAreHeavyAndMostAreNamedOnce(t *testing.T) {
	const n = 20_000
	named := map[tocsin.Kind]map[tocsin.Subject]int{tocsin.EVM: {}, tocsin.DNS: {}}
	for _, d := range reports(n, 1) {
		subjects := d.Subjects()
		if len(subjects) < 1 || len(subjects) > 3 {
			t.Fatalf("a report of %d subjects", len(subjects))
		}
		for _, s := range subjects {
			named[s.Kind][s]++
		}
	}
	for kind, counts := range named {
		heaviest, once := slices.Max(slices.Collect(maps.Values(counts))), 0
		for _, c := range counts {
			if c == 1 {
				once++
			}
		}
		if heaviest < n/250 || once < len(counts)/2 {
			t.Errorf("%s: the heaviest is named %d times in %d reports, %d of %d once", kind, heaviest, n, once, len(counts))
		}
	}
}

func TestWhatCannotBeWrittenIsTold(t *testing.T) {
	r, w := io.Pipe()
	full := errors.New("the disk is full")
	r.CloseWithError(full)
	if err := Write(w, 1, 1); !errors.Is(err, full) {
		t.Errorf("Write gave %v", err)
	}
}

func BenchmarkWrite(b *testing.B) {
	if err := Write(io.Discard, b.N, 1); err != nil {
		b.Fatal(err)
	}
}
