package testserver

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// program is an installed server program.
type program struct{ path, version string }

var versionNumber = regexp.MustCompile(`\d+(\.\d+)*`)

// find returns the newest program of the given version from the first place that has any: the
// system's packages, then PATH, then the project's own .cache/servers, which scripts/test-servers
// fills. An empty version matches any.
func find(p *product, version string) (program, bool) {
	if unsupported != "" {
		return program{}, false
	}
	for _, place := range [][]string{p.folders, filepath.SplitList(os.Getenv("PATH")), ownFolders(p)} {
		var found []program
		for _, pattern := range place {
			found = append(found, programsIn(p, pattern, version)...)
		}
		if len(found) > 0 {
			return slices.MaxFunc(found, func(a, b program) int {
				return slices.Compare(numbers(a.version), numbers(b.version))
			}), true
		}
	}
	return program{}, false
}

// programsIn returns the product's programs in the folders of the pattern.
func programsIn(p *product, pattern, version string) []program {
	folders, err := filepath.Glob(pattern)
	if err != nil {
		return nil
	}
	var found []program
	for _, folder := range folders {
		for _, name := range p.programs {
			path := filepath.Join(folder, name)
			v, ok := versionOf(p, path)
			if ok && (version == "" || strings.HasPrefix(v+".", version+".")) {
				found = append(found, program{path, v})
				break
			}
		}
	}
	return found
}

// versionOf returns the version that a program prints. It returns false if the program belongs to
// another product: MariaDB's mysqld is not a program of MySQL.
func versionOf(p *product, path string) (string, bool) {
	if _, err := os.Stat(path); err != nil {
		return "", false
	}
	banner, err := exec.Command(path, "--version").Output()
	if err != nil || !p.recognises(string(banner)) {
		return "", false
	}
	// The output may begin with the path, which may also contain a version.
	text := strings.TrimPrefix(string(banner), path)
	v := versionNumber.FindString(text)
	return v, v != ""
}

// numbers splits a version into numbers, so that 10 sorts after 9.
func numbers(version string) []int {
	var list []int
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return list
		}
		list = append(list, n)
	}
	return list
}

// ownFolders returns the folders into which scripts/test-servers puts servers.
func ownFolders(p *product) []string {
	if own := ownCache(); own != "" {
		return []string{filepath.Join(own, "servers", p.name+"-*", "bin")}
	}
	return nil
}

// Fetched returns the newest folder or file into which scripts/test-servers has put a tool, by a pattern of its
// path in .cache/servers; or "" if nothing matches.
func Fetched(pattern string) string {
	found, _ := filepath.Glob(filepath.Join(ownCache(), "servers", pattern)) // it fails only for an invalid pattern
	if len(found) == 0 {
		return ""
	}
	return slices.Max(found)
}

// ownCache returns the folder .cache of the module whose tests are running, or "" outside a module.
func ownCache() string {
	folder, err := os.Getwd()
	if err != nil {
		return ""
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return filepath.Join(folder, ".cache")
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return ""
		}
		folder = parent
	}
}
