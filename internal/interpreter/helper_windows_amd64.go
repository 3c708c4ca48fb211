package interpreter

import "embed"

//go:embed all:helper/windows-amd64
var helper embed.FS

const helperFolder = "helper/windows-amd64"
