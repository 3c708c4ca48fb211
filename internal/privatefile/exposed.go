package privatefile

import (
	"os"
	"runtime"
)

// Exposed reports whether users other than the owner may read a file. Windows has other
// rights, which are not looked at; a pipe is nobody else's.
func Exposed(path string) bool {
	info, err := os.Stat(path)
	return err == nil && runtime.GOOS != "windows" && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0
}
