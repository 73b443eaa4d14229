package tocsin

// ListingKind says what a list holds of a subject by naming it.
type ListingKind string

// The kinds of listing.
const (
	Risk     ListingKind = "risk"     // the list calls the subject fraudulent
	Sanction ListingKind = "sanction" // an authority forbids dealing with it
	Safe     ListingKind = "safe"     // the list knows it as a good one: a token contract, an exchange, a top site
	Shared   ListingKind = "shared"   // a service whose users are strangers to each other: it is not to blame for them, nor do they share its good name
)

// List is a public list that Tocsin can import.
type List struct {
	Name   string // unique: "scamsniffer"
	Family string // lists that copy each other share a family, and score as one origin
	URL    string // a page for people about the list
}

// Listing says that a list names a subject. It tells no story.
type Listing struct {
	List     string      `json:"list"`
	Kind     ListingKind `json:"kind"`
	Category string      `json:"category"` // Risk: a crime type. Safe and Shared: what the subject is, such as "token" or "exchange".
	Since    *Time       `json:"since"`    // nil: it stood there before anybody wrote down when
	URL      string      `json:"url"`      // where the list can be read
	Chain    string      `json:"chain,omitempty"`

	Family  string  `json:"-"`
	Name    string  `json:"-"` // who the subject is, as the list says; of a sanction, the party
	Program string  `json:"-"` // of a sanction: the legal programme
	Subject Subject `json:"-"`
}

// SanctionHit is a listing by an authority, as screenings show it.
type SanctionHit struct {
	List    string `json:"list"`
	Name    string `json:"name"`
	Program string `json:"program"`
	URL     string `json:"url"`
}

// Entry is what one row of a list says: a listing, a report, or both. A source
// that tells a story with each entry gives both, and scores by the listing alone.
type Entry struct {
	Listing *Listing // List, Family and URL are filled in by the import
	Report  *Draft
	Key     string // names the row within its list, so that a second import finds its report again; unused without Report
}
