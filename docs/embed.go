// Package docs is the manual as it is written: Markdown, embedded in the program.
package docs

import "embed"

// Pages are the manual's pages, by their paths below docs.
//
//go:embed *.md commands/*.md options/*.md decisions/*.md
var Pages embed.FS
