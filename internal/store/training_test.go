package store

import "testing"

func TestTheLastTrainingIsOnRecord(t *testing.T) {
	s := fresh(t)
	is, err := s.LastTraining(t.Context())
	do(t, err)
	equal(t, "before the first", is == nil, true)
	for _, want := range []Training{{Result: TrainingRefused, Reason: WorseModel}, {Result: Trained}} {
		do(t, s.NoteTraining(t.Context(), want))
		want.At = s.Now()
		is, err = s.LastTraining(t.Context())
		do(t, err)
		equal(t, "the last one", *is, want)
		s.sleep(2e9)
		st, err := s.Stats(t.Context())
		do(t, err)
		equal(t, "among the numbers", *st.Training, want)
	}
}
