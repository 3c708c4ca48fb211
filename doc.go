// Package sledge is the root of the source tree. It contains only the documents that the manual
// links to, and the tests for the rules of the whole tree: layers_test.go for imports between
// packages, text_test.go and english_test.go for texts and comments, and dependencies_test.go for
// explanations of imported modules.
//
// The program is in cmd/sledge, and its packages are in internal.
package sledge

import "embed"

// Papers are the project's own documents in Markdown: an introduction, the architecture, and how to
// contribute.
//
//go:embed README.md ARCHITECTURE.md CONTRIBUTING.md
var Papers embed.FS
