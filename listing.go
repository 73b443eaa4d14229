package tocsin

import (
	"bytes"
	"encoding/json"
)

// ListingKind says what a list means by naming a subject.
type ListingKind string

// The kinds of listing.
const (
	Risk     ListingKind = "risk"     // the list says that the subject is fraudulent
	Sanction ListingKind = "sanction" // an authority forbids dealing with the subject
	Safe     ListingKind = "safe"     // the list vouches for the subject: a token contract, an exchange, a top site
	Shared   ListingKind = "shared"   // a service with unrelated users, which are not to blame for each other
)

// Categories of Safe listings that say how known a subject is. Nobody vouches for it: fraudulent sites become popular
// too, popular ones give names to their users, and the domain of a token that has ended changes hands.
const (
	TopSite   = "top-site"   // the site has a place in a ranking by visits or links
	TokenSite = "token-site" // the site is the one that a token names as its own
)

// Frozen is the category of a Risk listing that names no crime: the list labels the account as frozen by the issuer of
// USDC or USDT, and does not say why.
const Frozen = "frozen"

// UnderReview is the category on the operator's own safelist of what is held at LOW while an objection is looked into.
// Nothing has been decided about it.
const UnderReview = "under-review"

// Vouches reports whether the list says that the subject is legitimate, and not only that it is known.
func (l Listing) Vouches() bool {
	return l.Kind == Shared || l.Kind == Safe && l.Category != TopSite && l.Category != TokenSite
}

// Categories of Safe listings of accounts that nobody should pay: what is sent there is lost.
const (
	TokenContract = "token" // the contract of a token: most of them cannot give back what is sent to the contract itself
	BurnAddress   = "burn"  // nobody holds its key
)

// unpayable returns the category of an account at which whatever is sent is lost, or "" if no list that vouches for it
// says so. That nobody holds its key goes before that it is a token.
func unpayable(listings []Listing) (category string) {
	for _, l := range listings {
		if l.Kind == Safe && l.Subject.IsAddress() &&
			(l.Category == BurnAddress || l.Category == TokenContract && category == "") {
			category = l.Category
		}
	}
	return category
}

// KnownToken reports whether a list names an account as the contract of a token on a chain (CAIP-2), and none warns of
// it.
func KnownToken(listings []Listing, chain string) (known bool) {
	for _, l := range listings {
		switch l.Kind {
		case Risk, Sanction:
			return false
		case Safe:
			known = known || l.Category == TokenContract && (l.Chain == "" || l.Chain == chain)
		}
	}
	return known
}

// The factors of accounts that nobody should pay. They have no points: nothing speaks against the account, only against
// paying it.
var unpayableFactors = map[string]Factor{
	TokenContract: {Code: "token_contract",
		Detail: "a token contract and no payee: tokens sent to the contract itself are lost; this is no report"},
	BurnAddress: {Code: "burn_address",
		Detail: "nobody holds the key of this address: what is sent to it is lost; this is no report"},
}

// sharedFactor is the factor of a host that unrelated people share, see [Evidence.shared]. It has no points: nothing
// speaks against the host, and nothing is known of the page on it that somebody is about to open.
var sharedFactor = Factor{Code: "shared_host",
	Detail: "a host that unrelated people share: this is about the host as a whole, and no page or path on it was " +
		"judged; this is no report"}

// registryFactor is that of a public suffix that a registry or an authority gives names under.
var registryFactor = Factor{Code: sharedFactor.Code,
	Detail: "many sites have their names under this one: none of them was judged; this is no report"}

// List is a public list that Tocsin imports.
type List struct {
	Name   string // unique: "scamsniffer"
	Family string // lists that copy each other share a family, and count once in the score
	URL    string // a page for people about the list
}

// Listing says that a list names a subject. Unlike a report it has no text.
type Listing struct {
	List string      `json:"list"`
	Kind ListingKind `json:"kind"`
	// Category is of Risk a crime type; of Safe and Shared what the subject is, such as "token" or "exchange"; of
	// Sanction as [SanctionHit.Currency].
	Category string `json:"category"`
	Since    *Time  `json:"since"`    // the date that the list gives; nil if it gives none
	URL      string `json:"url"`      // a page of the list, or about the entry
	ListDate *Time  `json:"listDate"` // of the version of the list, see [ListVersion]; [Screen] sets it
	Chain    string `json:"chain,omitempty"`

	Family  string   `json:"-"`
	Name    string   `json:"-"` // who the subject is according to the list; the sanctioned party
	Program string   `json:"-"` // of a sanction: the legal program
	Aliases []string `json:"-"` // other names of the sanctioned party; only an import has them
	Subject Subject  `json:"-"`
}

// DatedListing is what a list says of a subject, or has said for a time. An entry that left its list and came back
// makes several, with the words of the last. It has no part in the score.
type DatedListing struct {
	Listing
	Recorded *Time // when an import found it; nil if that is not known
	Dropped  *Time // when an import found that the list has it no longer; nil while it is in force
	Removed  bool  // the operator removed the whole list at Dropped: whether it still has it is not known

	// RecordedIn and DroppedIn are the dates of the versions of the list in which an import found it, and found it no
	// longer; nil if that is not known.
	RecordedIn, DroppedIn *Time
	// RecordedFiles and DroppedFiles are the files of those versions or, if the operator removed the list, DroppedFiles
	// those of the version that was removed; none if that is not known.
	RecordedFiles, DroppedFiles []ListFile
	Older                       bool // that of DroppedIn is older than the one before it: the list did not drop it then
}

// MarshalJSON implements [json.Marshaler]: the schema DatedListing of internal/contract/openapi.yaml.
func (l DatedListing) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // as all answers are written
	err := e.Encode(struct {
		Subject  string      `json:"subject"`
		List     string      `json:"list"`
		Kind     ListingKind `json:"kind"`
		Category string      `json:"category"`
		Name     string      `json:"name,omitempty"`
		Program  string      `json:"program,omitempty"`
		Chain    string      `json:"chain,omitempty"`
		URL      string      `json:"url"`
		Since    *Time       `json:"since"`
		Recorded *Time       `json:"recordedAt"`
		Dropped  *Time       `json:"droppedAt"`
		Removed  bool        `json:"listRemoved,omitempty"`

		RecordedIn *Time `json:"recordedListDate,omitempty"`
		DroppedIn  *Time `json:"droppedListDate,omitempty"`
		Older      bool  `json:"olderVersion,omitempty"`

		RecordedFiles []ListFile `json:"recordedListFiles,omitempty"`
		DroppedFiles  []ListFile `json:"droppedListFiles,omitempty"`
	}{l.Subject.String(), l.List, l.Kind, l.Category, l.Name, l.Program, l.Chain, l.URL, l.Since, l.Recorded, l.Dropped,
		l.Removed, l.RecordedIn, l.DroppedIn, l.Older, l.RecordedFiles, l.DroppedFiles})
	return b.Bytes(), err
}

// SanctionHit is a listing by an authority, as screenings show it.
type SanctionHit struct {
	List    string `json:"list"`
	Name    string `json:"name"`
	Program string `json:"program"`
	URL     string `json:"url"`
	// Currency is the code of the currency that the list names the address for, if that is of another chain than the
	// account, on which the same key owns it: "BSV". Otherwise it is empty.
	Currency string `json:"currency,omitempty"`

	ListDate *Time `json:"listDate"` // of the version of the list
}

// Entry is one row of a list: a listing, a report, or both. Lists with a text for each entry give both; only the
// listing counts in the score.
type Entry struct {
	Listing *Listing // List, Family and URL are filled in by the import
	Report  *Draft
	Key     string // identifies the row within its list, so that the next import finds its report; unused without Report
}
