// Package docs holds those documents of this directory that the program itself shows.
package docs

import _ "embed"

// Risk is risk.md: how the score is made. It is Markdown.
//
//go:embed risk.md
var Risk string

// Privacy is privacy.md: what is kept about whom, how long, and why. It is Markdown.
//
//go:embed privacy.md
var Privacy string
