// Package contract reads openapi.yaml, the contract of the API: the operations with their prices, the check of what is
// sent to them, and everything that is published about them. It does not know how operations are carried out or paid.
package contract

import (
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"tocsin"
)

//go:embed openapi.yaml
var source []byte

// Options is what the contract needs to know of the deployment that publishes it.
type Options struct {
	// BaseURL is where callers reach the service, without a slash at the end. It replaces the host in the examples.
	// If it is empty the examples stay as they are written.
	BaseURL string
	// Quota is how many free calls a key has each UTC day.
	Quota int
	// Payments says that payments are taken. Without it, PaymentCodes and the ways to pay are left out.
	Payments     bool
	PaymentCodes map[tocsin.Code]bool // failures that only payments have
	Statuses     map[tocsin.Code]int  // the HTTP status of each failure
}

// Contract is openapi.yaml as one deployment publishes it, in the order in which it is written and with references
// resolved. Texts are Markdown.
type Contract struct {
	Title, Version, Summary, Description string
	Base                                 string // path of all operations: /api/v1

	Tags []Tag
	// Problem is the response that any operation may give, and the form of every failure.
	Problem Response

	document *Value // with its references
	statuses map[tocsin.Code]int
}

// Tag is a group of operations.
type Tag struct {
	Name, Description string
	Operations        []*Operation
}

// parsed is the embedded contract, which nobody changes: [readYAML] copies what it changes.
var parsed = sync.OnceValues(func() (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(source, &doc); err != nil {
		return nil, err
	}
	return doc.Content[0], nil
})

// Read reads the embedded contract. An error is a fault of the program.
func Read(o Options) (*Contract, error) {
	root, err := parsed()
	if err != nil {
		return nil, fmt.Errorf("openapi.yaml: %w", err)
	}
	c := &Contract{document: readYAML(root, hostReplacer(o.BaseURL)), statuses: o.Statuses}
	info := c.document.At("info")
	info.Set("description", ValueOf(strings.Replace(info.text("description"), exampleQuota, freeCalls(o.Quota), 1)))
	if !o.Payments {
		removePayments(c.document, o.PaymentCodes)
		info.Set("description", ValueOf(noPayments+info.text("description")))
	}
	c.Title, c.Version, c.Summary = info.text("title"), info.text("version"), info.text("summary")
	c.Description = info.text("description")

	resolved := c.document.resolve(c.document)
	c.Base = resolved.At("servers").Items[0].text("url")
	c.Problem = c.response("default", resolved.At("components", "responses", "Problem"))
	for _, t := range resolved.At("tags").Items {
		c.Tags = append(c.Tags, Tag{Name: t.text("name"), Description: t.text("description")})
	}
	for _, path := range resolved.At("paths").Members {
		for _, method := range []string{"get", "post", "delete"} {
			node := path.Value.At(method)
			if node == nil {
				continue
			}
			op, err := c.operation(method, path.Name, node, resolved.At("components", "securitySchemes"))
			tag := slices.IndexFunc(c.Tags, func(t Tag) bool { return t.Name == op.Tag })
			if tag < 0 && err == nil {
				err = errors.New("its tag is not described")
			}
			if err != nil {
				return nil, fmt.Errorf("openapi.yaml: %s %s: %w", method, path.Name, err)
			}
			c.Tags[tag].Operations = append(c.Tags[tag].Operations, op)
		}
	}
	return c, nil
}

// exampleQuota is what the contract says of free calls, with the quota that a deployment has if it names no other.
const exampleQuota = "10 free calls a UTC day"

// freeCalls says how many free calls a key has.
func freeCalls(quota int) string {
	noun := " free calls"
	if quota == 1 {
		noun = " free call"
	}
	return Grouped(quota) + noun + " a UTC day"
}

// Grouped writes a whole number with commas between thousands.
func Grouped(n int) string { return tocsin.Grouped(strconv.Itoa(n)) }

// noPayments introduces the contract of a deployment that takes no payments.
const noPayments = "This deployment takes no payments: an operation with a price needs a key, and `accepts` of a 402 " +
	"is empty. What is said of payments below does not apply here.\n\n"

// adviceToPay is a part of what the contract says about failures that a payment would solve.
const adviceToPay = ", or pay: sign one of the offers in `accepts`"

// removePayments removes what cannot happen where no payments are taken: a credential, and failures.
func removePayments(document *Value, codes map[tocsin.Code]bool) {
	removed := map[string]bool{} // responses, by their references
	strip := func(responses *Value) {
		for _, response := range slices.Clone(responses.Members) {
			named := response.Value.At("x-codes")
			for _, c := range slices.Clone(named.members()) {
				if codes[tocsin.Code(c.Name)] {
					named.Remove(c.Name)
				} else {
					named.Set(c.Name, ValueOf(strings.ReplaceAll(c.Value.String(), adviceToPay, "")))
				}
			}
			if named != nil && len(named.Members) == 0 || removed[response.Value.text("$ref")] {
				responses.Remove(response.Name)
				removed["#/components/responses/"+response.Name] = true
			}
		}
	}
	paid := func(scheme string) bool { return scheme == "x402" || scheme == "signInWithX" }
	schemes := document.At("components", "securitySchemes")
	for _, scheme := range slices.Clone(schemes.Members) {
		if paid(scheme.Name) {
			schemes.Remove(scheme.Name)
		}
	}
	strip(document.At("components", "responses"))
	for _, path := range document.At("paths").Members {
		for _, op := range path.Value.Members {
			if responses := op.Value.At("responses"); responses != nil {
				strip(responses)
			}
			if security := op.Value.At("security"); security != nil {
				security.Items = slices.DeleteFunc(security.Items, func(way *Value) bool {
					return slices.ContainsFunc(way.Members, func(m Member) bool { return paid(m.Name) })
				})
			}
		}
	}
}

// exampleOrigin is the service of the contract's examples.
const exampleOrigin = "https://tocsin.example"

// hostReplacer puts the service at a URL in the place of the one of the examples. It is nil if there is no such URL.
func hostReplacer(baseURL string) *strings.Replacer {
	at, err := url.Parse(baseURL)
	if err != nil || at.Host == "" {
		return nil
	}
	return strings.NewReplacer(exampleOrigin, baseURL, strings.TrimPrefix(exampleOrigin, "https://"), at.Host)
}

// Document returns the contract for publication: with its references, but without aliases and merges, which only YAML
// has. It is a copy that the caller may change.
func (c *Contract) Document() *Value { return c.document.resolve(nil) }

// Operations returns all operations, by their tags and then in the order of the contract.
func (c *Contract) Operations() (all []*Operation) {
	for _, t := range c.Tags {
		all = append(all, t.Operations...)
	}
	return all
}

// Operation returns an operation by its id, nil if the contract has none of that id.
func (c *Contract) Operation(id string) *Operation {
	for _, op := range c.Operations() {
		if op.ID == id {
			return op
		}
	}
	return nil
}

// Codes returns the codes of all failures, each once, by status.
func (c *Contract) Codes() (all []Code) {
	responses := []Response{c.Problem}
	for _, op := range c.Operations() {
		responses = append(responses, op.Responses...)
	}
	for _, r := range responses {
		for _, code := range r.Codes {
			if !slices.ContainsFunc(all, func(known Code) bool { return known.Code == code.Code }) {
				all = append(all, code)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Code) int { return a.Status - b.Status })
	return all
}
