package discovery

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"tocsin/internal/x402"
)

const (
	catalogPath  = "/.well-known/api-catalog"
	catalogMedia = `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"` // RFC 9727, section 5.1
	cardMedia    = "application/mcp-server-card+json"
)

type object = map[string]any

// apiCatalog is /.well-known/api-catalog (RFC 9727), a set of links (RFC 9264)
// of the relations of RFC 8631.
func (f *facts) apiCatalog() any {
	link := func(path, media string) object { return object{"href": f.BaseURL + path, "type": media} }
	return object{"linkset": []object{{
		"anchor":       f.API,
		"service-desc": []object{link("/openapi.json", "application/json"), link("/openapi.yaml", "application/yaml")},
		"service-doc":  []object{link("/docs", "text/html"), link("/llms.txt", "text/plain")},
		"service-meta": []object{
			link("/.well-known/x402.json", "application/json"),
			link(skillsIndexPath, "application/json"),
		},
		"status": []object{link("/status", "text/html")},
	}}}
}

// commerce is /.well-known/acp.json, a DiscoveryResponse of the Agentic Commerce Protocol, 2026-04-17
// (rfcs/rfc.discovery.md). Tocsin offers none of its services, because it has no checkout. It names x402, if it takes
// payments.
func (f *facts) commerce() any {
	type protocol struct {
		Name          string   `json:"name"`
		Version       string   `json:"version"`
		Versions      []string `json:"supported_versions"`
		Documentation string   `json:"documentation_url"`
	}
	type extension struct {
		Name string `json:"name"`
		Spec string `json:"spec"`
	}
	type capabilities struct {
		Services   []string    `json:"services"`
		Extensions []extension `json:"extensions,omitempty"`
		Currencies []string    `json:"supported_currencies,omitempty"`
		Locales    []string    `json:"supported_locales"`
	}
	can := capabilities{Services: []string{}, Locales: []string{"en"}}
	if f.Pays {
		can.Extensions = []extension{{"x402", f.BaseURL + "/.well-known/x402.json"}}
		can.Currencies = []string{"usd"}
	}
	const version = "2026-04-17"
	return struct {
		Protocol     protocol     `json:"protocol"`
		API          string       `json:"api_base_url"`
		Transports   []string     `json:"transports"`
		Capabilities capabilities `json:"capabilities"`
	}{
		Protocol: protocol{
			Name: "acp", Version: version, Versions: []string{version}, Documentation: f.BaseURL + "/llms.txt",
		},
		API:          f.API,
		Transports:   []string{"rest"},
		Capabilities: can,
	}
}

// serverCard describes the MCP endpoint in two ways at once: as a card of SEP-2127, whose schema allows other fields,
// and with the fields of the older SEP-1649, which many clients still read.
func (f *facts) serverCard() any {
	type header struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Required    bool   `json:"isRequired"`
		Secret      bool   `json:"isSecret"`
	}
	type remote struct {
		Type      string   `json:"type"`
		URL       string   `json:"url"`
		Revisions []string `json:"supportedProtocolVersions,omitempty"`
		Headers   []header `json:"headers"`
	}
	type implementation struct {
		Name    string `json:"name"`
		Title   string `json:"title"`
		Version string `json:"version"`
	}
	meta := object{}
	if f.Pays {
		meta[f.reversed()+"/x402"] = object{"x402Version": x402.Version, "manifest": f.BaseURL + "/.well-known/x402.json"}
	}
	schemes, needs := []string{"apiKey", "bearer"}, "Tools with a price need one"
	if f.Pays {
		schemes, needs = append(schemes, "x402"), needs+", or a payment by x402"
	}
	needs += "; the others need none"
	newest := ""
	if len(f.Revisions) > 0 {
		newest = f.Revisions[0]
	}
	return struct {
		Schema      string   `json:"$schema"`
		Name        string   `json:"name"`
		Title       string   `json:"title"`
		Version     string   `json:"version"`
		Description string   `json:"description"`
		Website     string   `json:"websiteUrl"`
		Remotes     []remote `json:"remotes"`
		Meta        object   `json:"_meta,omitempty"`

		ServerInfo     implementation    `json:"serverInfo"`
		Revision       string            `json:"protocolVersion,omitempty"`
		Transport      map[string]string `json:"transport"`
		Capabilities   object            `json:"capabilities"`
		Authentication object            `json:"authentication"`
	}{
		Schema:  "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
		Name:    f.reversed() + "/tocsin",
		Title:   f.Contract.Title,
		Version: f.Version,
		// At most 100 characters.
		Description: "Screens crypto accounts and domains against fraud reports and public lists; takes reports.",
		Website:     f.BaseURL,
		Remotes: []remote{{
			Type:      "streamable-http",
			URL:       f.BaseURL + f.MCP,
			Revisions: f.Revisions,
			Headers: []header{{
				Name: "x-api-key",
				Description: "A key of this service, which is free: " + f.BaseURL + "/docs/keys. " + needs + ". " +
					"Authorization: Bearer is taken as well",
				Secret: true,
			}},
		}},
		Meta: meta,

		ServerInfo:     implementation{Name: "tocsin", Title: f.Contract.Title, Version: f.Version},
		Revision:       newest,
		Transport:      map[string]string{"type": "streamable-http", "endpoint": f.MCP},
		Capabilities:   object{"tools": object{}, "resources": object{}},
		Authentication: object{"required": false, "schemes": schemes},
	}
}

// aiCatalog is /.well-known/ai-catalog.json, where clients of MCP find the card (docs/discovery.md of the extension of
// SEP-2127).
func (f *facts) aiCatalog() any {
	return object{"specVersion": "1.0", "entries": []object{{
		"identifier": "urn:air:" + f.hostname() + ":mcp:tocsin",
		"type":       cardMedia,
		"url":        f.BaseURL + f.MCP + "/server-card",
	}}}
}

// hostname returns the host of the base URL without its port. Colons of an IPv6 address become hyphens, because names
// of MCP do not allow them.
func (f *facts) hostname() string {
	at, _ := url.Parse(f.BaseURL) // it was parsed before
	return strings.ReplaceAll(at.Hostname(), ":", "-")
}

// reversed returns the host with its labels from right to left: example.tocsin. An IP address is not changed.
func (f *facts) reversed() string {
	name := f.hostname()
	if net.ParseIP(name) != nil {
		return name
	}
	labels := strings.Split(name, ".")
	slices.Reverse(labels)
	return strings.Join(labels, ".")
}

// sitemap lists the pages whose paths do not depend on the data (sitemaps.org, 0.9).
func (f *facts) sitemap() []byte {
	var b bytes.Buffer
	b.WriteString(xml.Header + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, page := range f.Pages() {
		b.WriteString("  <url><loc>")
		xml.EscapeText(&b, []byte(f.BaseURL+page)) // into memory: it does not fail
		b.WriteString("</loc></url>\n")
	}
	b.WriteString("</urlset>\n")
	return b.Bytes()
}

// security is /.well-known/security.txt (RFC 9116). It expires half a year after the day of the request.
func (f *facts) security() []byte {
	expires := f.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 182)
	return fmt.Appendf(nil, "Contact: %s\nExpires: %s\nPreferred-Languages: en\nCanonical: %s/.well-known/security.txt\n",
		f.Contact, expires.Format(time.RFC3339), f.BaseURL)
}
