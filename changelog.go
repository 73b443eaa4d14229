package tocsin

import _ "embed"

// Changelog is CHANGELOG.md, which the documentation of the site shows: what changed in each version of the API and of
// the program. It is Markdown.
//
//go:embed CHANGELOG.md
var Changelog string
