package console

// Stand-ins for what is being written elsewhere: whoever writes the real one
// deletes its stand-in here. The file goes when it is empty.

import (
	"io"
	"os"
	"time"

	"sledge/internal/job"
)

func tempDir([]string) string { return os.TempDir() }

type counter struct{}

func (*counter) watch(job.Event) {}

func (c *Console) jobsStore() (*job.Store, error) { return c.OpenStore("") }

func timeProfile(io.Writer, string, job.Result, []string, time.Time) error { return nil }

func tpmFirst(text string) string { return text }
