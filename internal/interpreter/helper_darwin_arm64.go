package interpreter

import "embed"

//go:embed all:helper/darwin-arm64
var helper embed.FS

const helperFolder = "helper/darwin-arm64"
