package api

import (
	"fmt"
	"math"
	"slices"
	"time"

	"tocsin"
	"tocsin/internal/health"
	"tocsin/internal/store"
)

// serviceStatus is the schema ServiceStatus.
type serviceStatus struct {
	Works       bool                `json:"works"`
	Failures    []serviceFailure    `json:"failures"`
	LastDay     lastDay             `json:"lastDay"`
	ReadOnly    *bool               `json:"readOnly"`
	Filing      *tocsin.FilingState `json:"filing"`
	Lists       []listStatus        `json:"lists"` // null while the database cannot be read
	Facilitator *FacilitatorStatus  `json:"facilitator"`
	Names       namesStatus         `json:"names"`
	Database    databaseStatus      `json:"database"`
	AsOf        tocsin.Time         `json:"asOf"`
}

// serviceFailure is what goes wrong, or went wrong in the last ten minutes.
type serviceFailure struct {
	Part   health.Part   `json:"part"`
	List   string        `json:"list,omitempty"` // of an import
	Reason health.Reason `json:"reason"`
	Detail string        `json:"detail"`
	Since  tocsin.Time   `json:"since"`
	Last   tocsin.Time   `json:"last"`
	Count  int           `json:"count"`
	Over   bool          `json:"over"`
}

// lastDay is what became of each part in the last day, as far as this process has seen it.
type lastDay struct {
	Since       tocsin.Time `json:"since"`
	StepSeconds int         `json:"stepSeconds"`
	Parts       []partDay   `json:"parts"`
}

type partDay struct {
	Part           health.Part  `json:"part"`
	Works          bool         `json:"works"`
	FailingSeconds int          `json:"failingSeconds"`
	Count          int          `json:"count"`
	Last           *tocsin.Time `json:"last"`
	Steps          []dayStep    `json:"steps"`
}

type dayStep struct {
	Start          tocsin.Time `json:"start"`
	FailingSeconds int         `json:"failingSeconds"`
	Count          int         `json:"count"`
}

// LastDay returns the last day of the parts that this deployment has.
func (s *Server) LastDay() health.LastDay {
	last := s.config.Health.LastDay()
	_, file := s.db.FreeDisk()
	last.Parts = slices.DeleteFunc(last.Parts, func(d health.PartDay) bool {
		return d.Part == health.Disk && !file || d.Part == health.Facilitator && !s.config.Payments.taken()
	})
	return last
}

// lastDay is LastDay in the form of the contract.
func (s *Server) lastDay() lastDay {
	day := s.LastDay()
	shown := lastDay{Since: s.db.Now(), StepSeconds: int(health.Step / time.Second), Parts: []partDay{}}
	if !day.Since.IsZero() {
		shown.Since = tocsin.TimeOf(day.Since)
	}
	for _, d := range day.Parts {
		part := partDay{Part: d.Part, Works: d.Works, FailingSeconds: wholeSeconds(d.Failing), Count: d.Count,
			Steps: []dayStep{}}
		if !d.Last.IsZero() {
			last := tocsin.TimeOf(d.Last)
			part.Last = &last
		}
		for _, step := range d.Steps {
			part.Steps = append(part.Steps, dayStep{Start: tocsin.TimeOf(step.Start),
				FailingSeconds: wholeSeconds(step.Failing), Count: step.Count})
		}
		shown.Parts = append(shown.Parts, part)
	}
	return shown
}

// wholeSeconds rounds a time up, so that what was short is not nothing.
func wholeSeconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

type listStatus struct {
	Name       string               `json:"name"`
	ImportedAt *tocsin.Time         `json:"importedAt"`
	ListDate   *tocsin.Time         `json:"listDate"`
	AgeSeconds *int                 `json:"ageSeconds"`
	OutOfDate  *bool                `json:"outOfDate"`
	Entries    int                  `json:"entries"`
	Listings   int                  `json:"listings"`
	Reports    int                  `json:"reports"`
	Refused    []tocsin.RefusedRows `json:"refused"`
	Untaken    []string             `json:"untaken,omitempty"`
	Files      []tocsin.ListFile    `json:"files"`
	LastTry    *listTry             `json:"lastTry"`
	NextTryAt  *tocsin.Time         `json:"nextTryAt"`
}

type listTry struct {
	At       tocsin.Time `json:"at"`
	Result   string      `json:"result"`
	Reason   *string     `json:"reason"`
	Failures int         `json:"failures"`
	// Entries that came and went; 0 unless it has imported the list.
	Added     int `json:"added"`
	Withdrawn int `json:"withdrawn"`
}

// namesStatus says what names of domains are judged by.
type namesStatus struct {
	Brands       int             `json:"brands"`
	Model        *nameModel      `json:"model"`
	Refused      *string         `json:"refused"`
	LastTraining *trainingStatus `json:"lastTraining"`
}

// nameModel is the schema NameModel.
type nameModel struct {
	Version      string       `json:"version"`
	LearntUntil  tocsin.Time  `json:"learntUntil"`
	Fraudulent   int          `json:"fraudulent"`
	Innocent     int          `json:"innocent"`
	RecentRecall *float64     `json:"recentRecall"`
	RecentUntil  *tocsin.Time `json:"recentUntil"`
}

// trainingStatus is the schema Training.
type trainingStatus struct {
	At     tocsin.Time          `json:"at"`
	Result store.TrainingResult `json:"result"`
	Reason *string              `json:"reason"`
}

// namesStatus returns what names are judged by in this process.
func (s *Server) namesStatus() namesStatus {
	names := namesStatus{Brands: s.config.Names.Brands(), Refused: optional(s.RefusedModel())}
	if m := s.config.Names.Model(); m != nil {
		names.Model = &nameModel{Version: m.Version, LearntUntil: tocsin.TimeOf(m.Cutoff), Fraudulent: m.Fraud,
			Innocent: m.Innocent}
		if m.Recent > 0 {
			recall := math.Round(m.RecentRecall*1e4) / 1e4
			until := tocsin.TimeOf(m.RecentUntil)
			names.Model.RecentRecall, names.Model.RecentUntil = &recall, &until
		}
	}
	return names
}

type databaseStatus struct {
	ReadModel     store.ModelState `json:"readModel"`
	WritesWaiting int              `json:"writesWaiting"`
	FreeBytes     *int64           `json:"freeBytes"`
	LastBackupAt  *tocsin.Time     `json:"lastBackupAt"`
}

// status answers also while the database does not: that is what it is for.
func (s *Server) status(c *call) (any, error) {
	status := serviceStatus{Facilitator: s.Payments().Facilitator, AsOf: s.db.Now()}
	status.LastDay = s.lastDay()
	status.Names = s.namesStatus()
	condition := s.db.Condition()
	status.Database = databaseStatus{ReadModel: condition.Model, WritesWaiting: condition.Waiting}
	if free, known := s.db.FreeDisk(); known {
		status.Database.FreeBytes = &free
	}
	st, err := s.db.Stats(c.Context())
	if err != nil && !store.Unreadable(err) {
		return nil, err
	}
	if err == nil {
		status.ReadOnly, status.Filing = &st.ReadOnly, &st.Filing
		status.Lists = s.listStates(st)
		if t := st.Training; t != nil {
			status.Names.LastTraining = &trainingStatus{At: t.At, Result: t.Result, Reason: optional(t.Reason)}
		}
		if st.Backup.Made() {
			status.Database.LastBackupAt = &st.Backup.At
		}
	}
	status.Failures = s.failures(status.Facilitator, st.Failed())
	status.Works = err == nil && !st.ReadOnly &&
		!slices.ContainsFunc(status.Failures, func(f serviceFailure) bool { return !f.Over })
	return status, nil
}

// failures returns what fails: parts of this process, the facilitator, and the last imports.
func (s *Server) failures(facilitator *FacilitatorStatus, imports []store.ImportTry) []serviceFailure {
	all := []serviceFailure{}
	for _, t := range s.config.Health.Troubles() {
		if t.Part == health.Load {
			continue // any stranger can cause it
		}
		all = append(all, serviceFailure{Part: t.Part, Reason: t.Reason, Detail: t.String() + ".",
			Since: tocsin.TimeOf(t.Since), Last: tocsin.TimeOf(t.Last), Count: t.Count, Over: t.Over})
	}
	if f := facilitator; f != nil && f.Reachable != nil && !*f.Reachable {
		t := health.Trouble{Part: health.Facilitator, Reason: health.Unreachable}
		all = append(all, serviceFailure{Part: t.Part, Reason: t.Reason, Detail: t.String() + ".",
			Since: *f.AsOf, Last: *f.AsOf, Count: 1})
	}
	for _, t := range imports {
		all = append(all, serviceFailure{Part: health.Imports, List: t.List, Reason: health.Reason(t.Reason),
			Detail: fmt.Sprintf("The last import of %s failed (%s).", t.List, t.Reason),
			Since:  t.At, Last: t.At, Count: max(1, t.Failures)})
	}
	return all
}

// listStates returns each list that was imported or tried, by name, and then those that are to be.
func (s *Server) listStates(st store.Stats) []listStatus {
	all := []listStatus{}
	at := map[string]int{}
	for _, l := range st.Lists {
		age, old := max(0, int(s.now().Sub(l.AsOf().Std()).Seconds())), l.OutOfDate(s.db.Now())
		at[l.Name] = len(all)
		list := emptyStatus(l.Name)
		list.ImportedAt, list.ListDate, list.AgeSeconds, list.OutOfDate = &l.Imported, l.Version.Date, &age, &old
		list.Entries, list.Refused = l.Version.Entries, append(list.Refused, l.Version.RefusedByReason()...)
		list.Listings, list.Reports, list.Untaken = l.Listings, l.Reports, l.Version.Untaken
		list.Files = append(list.Files, l.Version.Files...)
		all = append(all, list)
	}
	for _, t := range st.Tries {
		i, known := at[t.List]
		if !known {
			i, all = len(all), append(all, emptyStatus(t.List))
		}
		inARow, _ := t.Counts()
		all[i].LastTry = &listTry{At: t.At, Result: "imported", Failures: inARow, Added: t.Added,
			Withdrawn: t.Withdrawn}
		switch last := all[i].LastTry; {
		case t.Running:
			last.Result = "running"
		case t.Reason != "":
			last.Result, last.Reason = "failed", &t.Reason
		case t.Unchanged:
			last.Result = "unchanged"
		}
	}
	next := s.NextReads(st)
	for _, list := range s.Refreshed() {
		if !slices.ContainsFunc(all, func(l listStatus) bool { return l.Name == list }) {
			all = append(all, emptyStatus(list))
		}
	}
	for i := range all {
		if at, planned := next[all[i].Name]; planned {
			all[i].NextTryAt = &at
		}
	}
	return all
}

// emptyStatus is the status of a list of which nothing is known.
func emptyStatus(name string) listStatus {
	return listStatus{Name: name, Refused: []tocsin.RefusedRows{}, Files: []tocsin.ListFile{}}
}
