package testserver

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"
)

//go:embed testdata/slowflush.c
var slowFlush string

// SlowFlushes restarts a PostgreSQL server so that it flushes its files, and each flush takes longer by a delay, as on a
// slow disk. It works on Linux with a C compiler; otherwise the test is skipped, unless SLEDGE_TEST_REQUIRE lists cc.
// Like Stop, it needs a server opened with Own.
func (s *Server) SlowFlushes(delay time.Duration) {
	t := s.owner("SlowFlushes")
	t.Helper()
	compiler, err := exec.LookPath("cc")
	if err != nil || runtime.GOOS != "linux" {
		Lack(t, "cc", "a slow disk needs Linux and a C compiler, cc")
	}
	source, library := filepath.Join(s.folder, "slowflush.c"), filepath.Join(s.folder, "slowflush.so")
	if err := os.WriteFile(source, []byte(slowFlush), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(compiler, "-shared", "-fPIC", "-O", "-D_GNU_SOURCE", "-o", library, source).CombinedOutput(); err != nil {
		t.Fatalf("compile %s: %v\n%s", source, err, out)
	}
	if err := os.Chmod(library, 0o755); err != nil {
		t.Fatal(err)
	}
	s.Stop(Fast)
	if err := appendSettings(filepath.Join(s.Dir, "postgresql.conf"), []string{"fsync=on", "track_wal_io_timing=on"}); err != nil {
		t.Fatal(err)
	}
	s.environment = []string{"LD_PRELOAD=" + library, "SLEDGE_FLUSH_DELAY=" + strconv.FormatInt(delay.Microseconds(), 10)}
	s.Start()
}
