//go:build !((linux && (amd64 || arm64)) || (darwin && arm64) || (windows && amd64))

package interpreter

import "embed"

// No Tcl interpreter is built for this system.
var helper embed.FS

const helperFolder = "helper"
