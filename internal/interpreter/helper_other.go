//go:build !((linux && (amd64 || arm64)) || (darwin && arm64) || (windows && amd64))

package interpreter

import "embed"

// helper is empty, because this system has no Tcl interpreter.
var helper embed.FS

const helperFolder = "helper"
