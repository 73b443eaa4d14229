package tocsin

// FilingState says who may file reports.
type FilingState string

// The states of filing.
const (
	FilingOpen     FilingState = "open"      // from everybody
	FilingKeysOnly FilingState = "keys-only" // from callers with a key
	FilingShut     FilingState = "closed"    // from nobody
)

// Says returns a sentence for people about who may file reports; "" while everybody may.
func (state FilingState) Says() string {
	switch state {
	case FilingShut:
		return "The operator takes no reports at the moment."
	case FilingKeysOnly:
		return "Reports are taken with a key only at the moment."
	}
	return ""
}

// Refuse returns the error of a report that may not be filed in this state, with or without a key; nil if it may. Its
// code is [FilingClosed] or [FilingNeedsKey].
func (state FilingState) Refuse(withKey bool) error {
	switch {
	case state == FilingShut:
		return &Error{
			Code:   FilingClosed,
			Detail: "The operator of this service takes no reports at the moment. Nothing was filed; try again another day",
		}
	case state == FilingKeysOnly && !withKey:
		return &Error{
			Code: FilingNeedsKey,
			Detail: "The operator of this service takes reports with a key only at the moment. Nothing was filed; " +
				"send it again with a live key. A key is free",
		}
	}
	return nil
}
