package interpreter

import "embed"

//go:embed all:helper/linux-amd64
var helper embed.FS

const helperFolder = "helper/linux-amd64"
