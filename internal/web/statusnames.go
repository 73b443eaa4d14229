package web

import (
	"math"

	"tocsin/internal/locale"
	"tocsin/internal/store"
)

// refusedModels say why the file of the model of names is not in use, by the words of the API.
var refusedModels = map[string]locale.Key{
	"damaged":       "The file of the model is damaged and not in use. The operator makes a new one.",
	"other_version": "The file of the model is of another version of Tocsin and not in use. The operator makes a new one.",
	"unreadable":    "The file of the model cannot be read and is not in use.",
}

// trainings say how the last training ended that made no model, by its reason.
var trainings = map[string]locale.Key{
	store.WorseModel: "The last training, %s ago, made a model that finds less than the one before, so it was refused.",
	store.FewNames:   "The last training, %s ago, failed: the lists have too few names to learn from.",
	store.FailedSaving: "The last training, %s ago, failed: " +
		"the file of the model could not be written.",
	store.FailedOther: "The last training, %s ago, failed.",
}

// namesText says what names of sites are judged by, in sentences. The last training is nil for none.
func (s *Site) namesText(p *locale.Printer, last *store.Training) (text []string) {
	names := s.api.Names()
	brands := p.Number(int64(names.Brands()))
	if m := names.Model(); m != nil {
		text = append(text, p.Text("By a list of %s brands that are imitated, and by a model that has learnt from the lists "+
			"until %s.", brands, p.Day(m.Cutoff)))
		if found := math.Round(m.RecentRecall * float64(m.Recent)); m.Recent > 0 {
			text = append(text, p.Text("Of %s names that these lists first had in the 60 days before %s, it would have "+
				"flagged %s beforehand.", p.Number(int64(m.Recent)), p.Day(m.RecentUntil), p.Number(int64(found))))
		}
	} else {
		text = append(text, p.Text("By a list of %s brands that are imitated. There is no model of names.", brands))
	}
	if why := refusedModels[s.api.RefusedModel()]; why != "" {
		text = append(text, p.Text(why))
	}
	if last != nil && trainings[last.Reason] != "" {
		text = append(text, p.Text(trainings[last.Reason], p.Span(s.db.Now().Std().Sub(last.At.Std()))))
	}
	return append(text, p.Text("A suspicion is no report, and alone it never scores above Medium."))
}
