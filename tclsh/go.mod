module sledge/tclsh

go 1.26.0

require (
	modernc.org/libc v1.41.0 // the newest that modernc.org/tcl compiles with
	modernc.org/tcl v1.15.2 // the whole of Tcl 8.6, without C
)

require (
	github.com/dustin/go-humanize v1.0.1 // indirect
	github.com/google/uuid v1.3.0 // indirect
	github.com/mattn/go-isatty v0.0.16 // indirect
	github.com/ncruces/go-strftime v0.1.9 // indirect
	github.com/remyoudompheng/bigfft v0.0.0-20230129092748-24d4a6f8daec // indirect
	golang.org/x/sys v0.14.0 // indirect
	modernc.org/httpfs v1.0.6 // indirect
	modernc.org/mathutil v1.6.0 // indirect
	modernc.org/memory v1.7.2 // indirect
	modernc.org/z v1.7.3 // indirect
)
