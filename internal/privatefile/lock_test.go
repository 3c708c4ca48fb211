package privatefile

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// adds is the environment variable that makes this test's program add to a file.
const adds = "SLEDGE_TEST_ADDS_TO"

const times = 50

func TestMain(m *testing.M) {
	if path := os.Getenv(adds); path != "" {
		for range times {
			if err := addOne(path); err != nil {
				panic(err)
			}
		}
		return
	}
	m.Run()
}

// addOne adds one to the number in a file.
func addOne(path string) error {
	unlock, err := Lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	n, _ := strconv.Atoi(string(text)) // 0 if there is no file
	return Replace(path, []byte(strconv.Itoa(n+1)))
}

// No change is lost if several programs, or goroutines of one program, change a file at the same
// time.
func TestLock_LosesNoConcurrentChange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "number")
	const programs = 4
	var all sync.WaitGroup
	for range programs {
		all.Go(func() {
			c := exec.Command(os.Args[0])
			c.Env = append(os.Environ(), adds+"="+path)
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
		all.Go(func() {
			for range times {
				if err := addOne(path); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if text, err := os.ReadFile(path); err != nil || string(text) != strconv.Itoa(2*programs*times) {
		t.Errorf("got %s, %v, want %d", text, err, 2*programs*times)
	}
}
