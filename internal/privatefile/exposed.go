package privatefile

import (
	"os"
	"runtime"
)

// Exposed reports whether users other than the owner may read a file. Windows has other
// permissions, which are not checked; a pipe is private.
func Exposed(path string) bool {
	info, err := os.Stat(path)
	return err == nil && runtime.GOOS != "windows" && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0
}
