package web

import (
	"encoding/json"
	"encoding/xml"
	"sync"
)

// icon is a picture of the bell that browsers and phones ask for.
type icon struct {
	path, sizes string
	size        int
	full        bool // it reaches its edges: a phone cuts it to its shape
	purpose     string
}

// icons are those of the manifest; apple is the one that iOS takes.
var (
	icons = []icon{
		{path: "/icon-192.png", sizes: "192x192", size: 192, full: true, purpose: "any"},
		{path: "/icon-512.png", sizes: "512x512", size: 512, full: true, purpose: "maskable"},
		{path: "/icon-any-512.png", sizes: "512x512", size: 512, full: true, purpose: "any"},
	}
	apple = icon{path: "/apple-touch-icon.png", size: 180, full: true}
)

// keepIcon is how long browsers keep an icon: it changes with a version at most.
const keepIcon = "public, max-age=604800"

// always returns a handler of a file that is made when it is first asked for, and then kept.
func (s *Site) always(media string, made func() []byte) handler {
	kept := sync.OnceValue(func() *file {
		body := made()
		return &file{Media: media, Keep: keepIcon, Tag: tagOf(string(body)), Body: body}
	})
	return func(*request) (*page, error) { return &page{File: kept()}, nil }
}

// phoneFiles are the handlers of what makes the site an app on a phone and a search engine of a browser, by pattern.
func (s *Site) phoneFiles() map[string]handler {
	files := map[string]handler{
		"GET /manifest.webmanifest": s.always("application/manifest+json", s.manifest),
		"GET /opensearch.xml":       s.always("application/opensearchdescription+xml; charset=utf-8", s.openSearch),
		"GET /favicon.ico":          s.always("image/x-icon", s.artist.Favicon),
	}
	for _, i := range append([]icon{apple}, icons...) {
		files["GET "+i.path] = s.always("image/png", func() []byte { return s.artist.Icon(i.size, i.full) })
	}
	return files
}

// manifest is the Web Application Manifest. What is shared with the app goes to the box.
func (s *Site) manifest() []byte {
	type image struct {
		Src     string `json:"src"`
		Sizes   string `json:"sizes"`
		Type    string `json:"type"`
		Purpose string `json:"purpose"`
	}
	type target struct {
		Action string            `json:"action"`
		Method string            `json:"method"`
		Params map[string]string `json:"params"`
	}
	m := struct {
		ID          string  `json:"id"`
		Name        string  `json:"name"`
		ShortName   string  `json:"short_name"`
		Description string  `json:"description"`
		Lang        string  `json:"lang"`
		StartURL    string  `json:"start_url"`
		Scope       string  `json:"scope"`
		Display     string  `json:"display"`
		Background  string  `json:"background_color"`
		Theme       string  `json:"theme_color"`
		Icons       []image `json:"icons"`
		ShareTarget target  `json:"share_target"`
	}{
		ID: "/", Name: "Tocsin", ShortName: "Tocsin", Description: string(tagline), Lang: "en", StartURL: "/", Scope: "/",
		Display: "standalone", Background: "#fafbfa", Theme: "#0a5f58",
		ShareTarget: target{"/screen", "GET", map[string]string{"text": "q", "url": "url"}},
	}
	for _, i := range icons {
		m.Icons = append(m.Icons, image{Src: i.path, Sizes: i.sizes, Type: "image/png", Purpose: i.purpose})
	}
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		panic(err) // it has texts only
	}
	return text
}

// openSearch is the description by which a browser offers the site as a search engine (OpenSearch 1.1).
func (s *Site) openSearch() []byte {
	type template struct {
		Type     string `xml:"type,attr"`
		Template string `xml:"template,attr"`
	}
	type image struct {
		Width  int    `xml:"width,attr"`
		Height int    `xml:"height,attr"`
		Type   string `xml:"type,attr"`
		URL    string `xml:",chardata"`
	}
	text, err := xml.MarshalIndent(struct {
		XMLName     xml.Name `xml:"http://a9.com/-/spec/opensearch/1.1/ OpenSearchDescription"`
		ShortName   string
		Description string
		Encoding    string `xml:"InputEncoding"`
		Image       image
		URL         template `xml:"Url"`
	}{
		ShortName:   "Tocsin",
		Description: "Look up a crypto address or a website",
		Encoding:    "UTF-8",
		Image:       image{Width: 48, Height: 48, Type: "image/x-icon", URL: s.config.BaseURL + "/favicon.ico"},
		URL:         template{"text/html", s.config.BaseURL + "/screen?q={searchTerms}"},
	}, "", " ")
	if err != nil {
		panic(err) // it has texts only
	}
	return append([]byte(xml.Header), text...)
}
