package interpreter

import "embed"

//go:embed all:helper/linux-arm64
var helper embed.FS

const helperFolder = "helper/linux-arm64"
