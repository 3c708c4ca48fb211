package cli

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sledge/internal/job"
)

// members returns the members of a zip file.
func members(t *testing.T, path string) map[string][]byte {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	all := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if all[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// rezip writes a zip file of members. If sum is set, SHA256SUMS is made again, as a forger would.
func rezip(t *testing.T, all map[string][]byte, sum bool) string {
	t.Helper()
	if sum {
		var sums bytes.Buffer
		for name, text := range all {
			if !strings.HasPrefix(name, "SHA256SUMS") {
				fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(text), name)
			}
		}
		all["SHA256SUMS"] = sums.Bytes()
	}
	path := filepath.Join(t.TempDir(), "changed.zip")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z := zip.NewWriter(file)
	for name, text := range all {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// testBundle bundles a real run, verifies the bundle, changes it in all ways, compares it and
// performs it again.
func testBundle(t *testing.T, w *world, id job.ID, file string) {
	path := filepath.Join(t.TempDir(), "run.sledge.zip")
	if code := w.run("bundle", string(id), "--output", path); code != job.OK || !strings.Contains(w.out.String(), "1 run") {
		t.Fatalf("got exit code %d: %s%s", code, &w.out, &w.err)
	}
	if code := w.run("verify", path); code != job.OK || !strings.Contains(w.out.String(), "every number that can be recomputed is right") {
		t.Fatalf("got exit code %d: %s%s", code, &w.out, &w.err)
	}
	record := string(id) + ".json"
	whole := members(t, path)
	if host, err := os.Hostname(); err == nil {
		named := regexp.MustCompile(`[" ]` + regexp.QuoteMeta(host) + `[",: ]`) // it may be short
		for name, text := range whole {
			if named.Match(text) {
				t.Errorf("%s contains the name of this machine, %s", name, host)
			}
		}
	}
	// Each number of the record that follows from others, and the place that verify names.
	for _, tt := range []struct{ name, pattern, where string }{
		{"a percentile", `("transactions":\[\{.*?"p99_ms":)[\d.]+`, "transactions.0.response.p99_ms"},
		{"a count", `("transactions":\[\{"kind":"new order","done":)\d+`, "transactions.0.done"},
		{"the headline", `("metrics":\[\{"name":"NOPM","value":)[\d.]+`, "metrics.0.value"},
		{"the client's rate", `("name":"client NOPM","value":)[\d.]+`, "metrics.2.value"},
		{"a second of the ramp-up", `("seconds":\[\s*\{.*?"done":)\d+`, "seconds.0.transactions.0.share_percent"},
		{"a measured second", `("phase":"measure"[^\n]*?"done":)\d+`, "transactions.0.done: the seconds of the measured time"},
		{"the time", `("elapsed_seconds":)[\d.]+`, "elapsed_seconds"},
	} {
		all := members(t, path)
		found := regexp.MustCompile(tt.pattern).FindSubmatchIndex(all[record])
		if found == nil {
			t.Errorf("%s: the record has no %s", tt.name, tt.pattern)
			continue
		}
		all[record] = slices.Concat(all[record][:found[3]], []byte("123456"), all[record][found[1]:])
		if code := w.run("verify", rezip(t, all, false)); code != job.ExitCheck || !strings.Contains(w.out.String(), record+": it was changed") {
			t.Errorf("%s, with the old checksums: got exit code %d: %s%s", tt.name, code, &w.out, &w.err)
		}
		if code := w.run("verify", rezip(t, all, true)); code != job.ExitCheck || !strings.Contains(w.out.String(), record+": "+tt.where) {
			t.Errorf("%s, with new checksums: got exit code %d, want %s: %s%s", tt.name, code, tt.where, &w.out, &w.err)
		}
	}
	// In both places, the headline still does not follow from the counts.
	all := members(t, path)
	headline := regexp.MustCompile(`("name":\s*"NOPM",\s*"value":\s*)[\d.]+`)
	for _, name := range []string{record, "bundle.json"} {
		all[name] = headline.ReplaceAll(all[name], []byte("${1}99999"))
	}
	if code := w.run("verify", rezip(t, all, true)); code != job.ExitCheck || !strings.Contains(w.out.String(), "metrics.0.value: NOPM does not follow from the counts and times") {
		t.Errorf("a forged headline: got exit code %d: %s%s", code, &w.out, &w.err)
	}

	if code := w.run("rerun", path, "--dbname", file); code != job.ExitUsage || !strings.Contains(w.out.String(), "undecided") {
		t.Errorf("got exit code %d: %s%s", code, &w.out, &w.err)
	}
	if code := w.run("compare", path, "last"); code != job.ExitUsage || !strings.Contains(w.out.String(), "undecided") {
		t.Errorf("got exit code %d: %s%s", code, &w.out, &w.err)
	}
	if code := w.run("compare", rezip(t, all, true), "last"); code != job.ExitCheck || !strings.Contains(w.err.String(), "sledge verify") {
		t.Errorf("a forged bundle: got exit code %d: %s%s", code, &w.out, &w.err)
	}
}

func TestBundle_IsSignedAsSSHDoes(t *testing.T) {
	w := newWorld(t)
	w.does(func(context.Context, job.Spec, job.Control) (job.Result, error) { return measured(), nil })
	if code := w.run("run", "--db", "sqlite"); code != job.OK {
		t.Fatalf("got exit code %d: %s", code, &w.err)
	}
	folder := t.TempDir()
	key, other, path := filepath.Join(folder, "key"), filepath.Join(folder, "other"), filepath.Join(folder, "run.zip")
	for _, name := range []string{key, other} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "ann@lab", "-f", name).CombinedOutput(); err != nil {
			t.Skipf("ssh-keygen, which makes keys: %v: %s", err, out)
		}
	}
	if code := w.run("bundle", "last", "--output", path, "--sign", key); code != job.OK || !strings.Contains(w.out.String(), "signed") {
		t.Fatalf("got exit code %d: %s%s", code, &w.out, &w.err)
	}
	if code := w.run("verify", path, "--trust", key+".pub"); code != job.OK || !strings.Contains(w.out.String(), "Signed by ann@lab") {
		t.Errorf("got exit code %d: %s%s", code, &w.out, &w.err)
	}
	if code := w.run("verify", path, "--trust", other+".pub"); code != job.ExitCheck || !strings.Contains(w.err.String(), "does not list the key") {
		t.Errorf("another key: got exit code %d: %s%s", code, &w.out, &w.err)
	}

	// OpenSSH accepts the signature.
	all := members(t, path)
	public, err := os.ReadFile(key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	signers, signature := filepath.Join(folder, "allowed_signers"), filepath.Join(folder, "SHA256SUMS.sig")
	for name, text := range map[string][]byte{signers: append([]byte("ann@example.org "), public...), signature: all["SHA256SUMS.sig"]} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check := exec.Command("ssh-keygen", "-Y", "verify", "-f", signers, "-I", "ann@example.org", "-n", "sledge-bundle", "-s", signature)
	check.Stdin = bytes.NewReader(all["SHA256SUMS"])
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("ssh-keygen: %v: %s", err, out)
	}
	if code := w.run("verify", path, "--trust", signers); code != job.OK || !strings.Contains(w.out.String(), "Signed by ann@example.org") {
		t.Errorf("got exit code %d: %s%s", code, &w.out, &w.err)
	}

	all["bundle.json"] = bytes.Replace(all["bundle.json"], []byte("v1.2.3"), []byte("v1.2.4"), 1)
	if code := w.run("verify", rezip(t, all, true)); code != job.ExitCheck || !strings.Contains(w.out.String(), "Its signature is not valid") {
		t.Errorf("new checksums under the old signature: got exit code %d: %s%s", code, &w.out, &w.err)
	}
	all = members(t, path)
	all["SHA256SUMS.sig"][100] ^= 1
	if code := w.run("verify", rezip(t, all, false)); code != job.ExitCheck || !strings.Contains(w.out.String(), "Its signature is not valid") {
		t.Errorf("a changed signature: got exit code %d: %s%s", code, &w.out, &w.err)
	}
}
