// Package sledge is the root of the source tree and holds no code, only the papers that the
// manual leads to. Its tests keep
// the rules of the whole tree: layers_test.go says which package may import which,
// text_test.go what every file and every exported name owes its readers, and
// dependencies_test.go that every module of others is explained.
//
// The program is in cmd/sledge, and everything that it is made of in internal.
package sledge

import "embed"

// Papers are what the project says of itself, in Markdown: what it is, how it is built, and
// how to work on it.
//
//go:embed README.md ARCHITECTURE.md CONTRIBUTING.md
var Papers embed.FS
