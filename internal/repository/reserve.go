package repository

import (
	"os"
	"path/filepath"
)

// reserve holds disk space for the end of a job, so that the totals and the end can be written even
// if the disk fills up during the job. It is a file that is removed from its folder at once, where
// the system allows it; closing it frees the space.
type reserve struct{ file *os.File }

// reserved is the size of the reserve in bytes, many times the size of a usual job's end.
const reserved = 512 << 10

// make creates the reserve for the repository at path. If there is no space for it, the job begins
// without a reserve.
func (r *reserve) make(path string) {
	if path == inMemory {
		return
	}
	folder, name := filepath.Split(path)
	file, err := os.CreateTemp(folder, name+"-reserve-*")
	if err != nil {
		return
	}
	_ = os.Remove(file.Name())
	r.file = file
	if _, err := file.Write(make([]byte, reserved)); err != nil {
		r.close()
	}
}

func (r *reserve) close() {
	if r.file == nil {
		return
	}
	_ = r.file.Close() // its contents are not needed any more
	_ = os.Remove(r.file.Name())
	r.file = nil
}
