package paste

import "tocsin"

// Problem is what is wrong with a line of a text, or with all of it.
type Problem struct {
	Kind  Kind
	Line  int    // from 1; 0 for the text as a whole
	Text  string // the part of the line that it is about; Kind says which
	Count int    // of digits after 0x
	// Address is the address with the mistake, out of what was around it; "" where no checksum can tell which was meant.
	Address string
	// Readings are what an amount can mean, the likelier first, if it is Ambiguous or an UnclearCurrency.
	Readings []tocsin.USD
	Fault    *tocsin.Error // what the rules say; nil unless Kind is Invalid, NotDomain or WrongAccount
}

// Kind is a kind of problem.
type Kind string

// The kinds of problem. Where they have a Text, the comment says what it is.
const (
	TooMany Kind = "too_many" // more lines or words than [Read] looks at; nothing else was found
	TooLong Kind = "too_long" // something is longer than any address or link

	NoAddress        Kind = "no_address"        // the first word
	CutShort         Kind = "cut_short"         // an address without its middle
	WrongDigit       Kind = "wrong_digit"       // the character that no address has
	ForeignLetter    Kind = "foreign_letter"    // an address with a letter of another alphabet: the letter
	ForeignName      Kind = "foreign_name"      // an ENS name with a letter of another alphabet: the name it looks like
	WrongLength      Kind = "wrong_length"      // an address with Count digits instead of 40: the last digit
	TransactionHash  Kind = "transaction_hash"  // a transaction instead of an address: its hash
	WrongAccount     Kind = "wrong_account"     // the chain that it was meant for; Fault says what is wrong
	MaybeSolana      Kind = "maybe_solana"      // an address that only a prefix makes one of Solana, which has no checksum
	SeveralAddresses Kind = "several_addresses" // a link with several addresses
	AddressInQuery   Kind = "address_in_query"  // a link with an address in its query, maybe the victim's own: the address
	OwnAddress       Kind = "own_address"       // an address that the line calls the writer's own: the address
	OwnContact       Kind = "own_contact"       // a number, an address or a name that the line calls the writer's own: it
	ENSName          Kind = "ens_name"          // the ENS name
	WalletName       Kind = "wallet_name"       // a name of another service that wallets resolve: the name
	NoThing          Kind = "no_thing"          // the first word
	SpaceInName      Kind = "space_in_name"     // a name of a site with a space beside a point: the name without it
	NoCountryCode    Kind = "no_country_code"   // a phone number without its country code
	BankNumber       Kind = "bank_number"       // the number of a bank account or a card, which is not repeated
	NotDomain        Kind = "not_domain"        // Fault says why
	IPAddress        Kind = "ip_address"        // the IP address
	SharedDomain     Kind = "shared_domain"     // the domain, under which anybody can have a page
	CheckoutPage     Kind = "checkout_page"     // a page where somebody takes payments, see [Checkout]: the page
	ExplorerPage     Kind = "explorer_page"     // a page of a block explorer by a name, see [Explored]: the link
	NoPayee          Kind = "no_payee"          // who a payment request would pay: what it has instead, or nothing
	ChatName         Kind = "chat_name"         // the name in a chat
	MailAddress      Kind = "mail_address"      // the mail address

	NoTransaction   Kind = "no_transaction"    // the first word
	HashLength      Kind = "hash_length"       // a hash with Count digits instead of 64
	EVMAddress      Kind = "evm_address"       // an address instead of a transaction
	LinkWithoutHash Kind = "link_without_hash" // a link without a transaction
	NoLink          Kind = "no_link"           // the first word

	Negative        Kind = "negative"         // an amount below zero
	NoNumber        Kind = "no_number"        // no amount
	ExtraText       Kind = "extra_text"       // an amount with something else, such as another currency
	Ambiguous       Kind = "ambiguous"        // an amount that can be read in two ways: its digits
	OtherCurrency   Kind = "other_currency"   // an amount of another currency: its code
	UnclearAmount   Kind = "unclear_amount"   // an amount of no known form: its digits
	UnclearCurrency Kind = "unclear_currency" // an amount of rupees, perhaps: all of it
	Secret          Kind = "secret"           // a recovery phrase or a private key
	SeveralSubjects Kind = "several_subjects" // more than one subject
	OnlyHandle      Kind = "only_handle"      // a handle instead of a subject: the handle
	Piece           Kind = "piece"            // a piece of an address: a word of it
	OnlyTransaction Kind = "only_transaction" // a transaction instead of a subject: its hash
	ConnectRequest  Kind = "connect_request"  // a request of a site to connect a wallet; it is not repeated
	MaybeKey        Kind = "maybe_key"        // what has the form of a transaction and of a private key: all of it
	NoSubject       Kind = "no_subject"       // neither an address nor a domain
	LightningOrder  Kind = "lightning_order"  // an invoice of the Lightning network, or a link to one: it, shortened
	OtherChain      Kind = "other_chain"      // an account of a chain that is not screened: the chain
	Invalid         Kind = "invalid"          // Fault says why
)

// WrongCase reports whether it is an EVM address whose capital letters, its checksum, do not hold.
func (p Problem) WrongCase() bool {
	return p.Kind == Invalid && len(p.Fault.Fields) > 0 && p.Fault.Fields[0].Cause == tocsin.WrongCase
}

// Searchable reports whether the text is no mistake, but something else than an account or a domain, which reports may
// mention: a handle, a name, words.
func (k Kind) Searchable() bool {
	switch k {
	case OnlyHandle, ChatName, MailAddress, NoAddress, NoSubject:
		return true
	}
	return false
}
