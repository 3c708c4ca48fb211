package host

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// ReleaseOwnPages gives back the memory of the pages of this program's file that it cannot write: its code and
// its constants. Most were read by the start alone. The system reads those that are used again from its cache
// (madvise(2), MADV_DONTNEED). It is for a process that runs for long beside others and does little.
func ReleaseOwnPages() error {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return err
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return err
	}
	defer maps.Close()
	lines := bufio.NewScanner(maps)
	for lines.Scan() {
		var from, to uintptr
		var rights string
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x %s", &from, &to, &rights); err != nil || !strings.HasSuffix(lines.Text(), " "+program) {
			continue
		}
		if !strings.Contains(rights, "w") {
			if _, _, failed := unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED); failed != 0 {
				return fmt.Errorf("madvise: %w", failed)
			}
		}
	}
	return lines.Err()
}
