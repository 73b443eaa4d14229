// Package docs holds those of the documents that the site shows, too.
package docs

import _ "embed"

// Risk is risk.md: how the score is made. It is Markdown.
//
//go:embed risk.md
var Risk string
