package repository

import (
	"os"
	"path/filepath"
)

// reserve is room on the disk of the repository that is kept for the end of a job, so that a
// disk that fills up meanwhile still takes what the job measured in all and how it ended. It is a
// file that is removed as it is made, where a system allows that; its room is free as soon
// as it is closed.
type reserve struct{ file *os.File }

// reserved is the size of the reserve in bytes, many times the size of a usual job's end.
const reserved = 512 << 10

// make creates the reserve for the repository at path. If there is no space for it, a job begins
// without.
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
	_ = r.file.Close() // nothing of it is needed any more
	_ = os.Remove(r.file.Name())
	r.file = nil
}
