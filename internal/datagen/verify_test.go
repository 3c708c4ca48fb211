package datagen_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/datagen"
	"sledge/internal/job"
)

func TestVerifyNamesTheFilesThatDiffer(t *testing.T) {
	for name, tt := range map[string]struct {
		spoil func(folder string) error
		want  string
	}{
		"unchanged": {func(string) error { return nil }, ""},
		"another byte": {func(folder string) error {
			path := filepath.Join(folder, "words_1.tbl")
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text[0]++
			return os.WriteFile(path, text, 0o600)
		}, "words_1.tbl has another SHA-256"},
		"truncated": {func(folder string) error { return os.Truncate(filepath.Join(folder, "notes_1.tbl"), 3) }, "notes_1.tbl has 3 bytes instead of 35"},
		"missing":   {func(folder string) error { return os.Remove(filepath.Join(folder, "notes_2.tbl")) }, "notes_2.tbl is missing"},
		"an unlisted file": {func(folder string) error {
			return os.WriteFile(filepath.Join(folder, "notes_3.tbl"), nil, 0o600)
		}, "notes_3.tbl is not in the manifest"},
		"a folder instead of a file": {func(folder string) error {
			path := filepath.Join(folder, "notes_1.tbl")
			return errors.Join(os.Remove(path), os.Mkdir(path, 0o700))
		}, "notes_1.tbl is not a regular file"},
		"a file of another program": {func(folder string) error { return os.WriteFile(filepath.Join(folder, "notes.txt"), nil, 0o600) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			if _, err := datagen.Generate(t.Context(), datagen.Config{Plan: offline(t, special, nil), Folder: folder, Workers: 2}); err != nil {
				t.Fatal(err)
			}
			if err := tt.spoil(folder); err != nil {
				t.Fatal(err)
			}
			m, differ, err := datagen.Verify(t.Context(), folder, nil)
			var got []string
			for _, d := range differ {
				got = append(got, d.File+" "+d.Why)
			}
			if err != nil || strings.Join(got, "; ") != tt.want {
				t.Errorf("got %q and %v, want %q", got, err, tt.want)
			}
			if m.Rows != "four units" || len(m.Files) != 5 {
				t.Errorf("got a manifest of %q with %d files, want the manifest of four units with five files", m.Rows, len(m.Files))
			}
		})
	}
}

func TestVerifyRefusesFoldersWithoutAManifestOfSledge(t *testing.T) {
	for name, tt := range map[string]struct {
		manifest, want string
		exit           job.Exit
	}{
		"no manifest":    {"", "does not exist: sledge datagen writes it last", job.ExitMissing},
		"not JSON":       {"files", "is not a manifest of sledge datagen", job.ExitUsage},
		"another schema": {`{"schema": "mine-1", "files": [{"name": "a"}]}`, `its schema is "mine-1"`, job.ExitUsage},
		"other folders":  {`{"schema": "sledge-datagen-1", "files": [{"name": "../a"}]}`, `names "../a", which is not a file of rows in its folder`, job.ExitUsage},
		"its own folder": {`{"schema": "sledge-datagen-1", "format": "tbl", "files": [{"name": ".", "table": "a", "part": 1, "parts": 1}]}`, `names "."`, job.ExitUsage},
		"another file":   {`{"schema": "sledge-datagen-1", "format": "tbl", "files": [{"name": "diary.txt", "table": "diary", "part": 1, "parts": 1}]}`, `names "diary.txt"`, job.ExitUsage},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			if tt.manifest != "" {
				if err := os.WriteFile(filepath.Join(folder, datagen.ManifestName), []byte(tt.manifest), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, _, err := datagen.Verify(t.Context(), folder, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) || job.ExitOf(err) != tt.exit {
				t.Errorf("got error %v with exit code %d, want %q with %d", err, job.ExitOf(err), tt.want, tt.exit)
			}
		})
	}
}

func TestVerify_CanBeStopped(t *testing.T) {
	folder := t.TempDir()
	if _, err := datagen.Generate(t.Context(), datagen.Config{Plan: offline(t, special, nil), Folder: folder}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := datagen.Verify(ctx, folder, nil); job.ExitOf(err) != job.ExitStopped {
		t.Errorf("got error %v, want one of having been stopped", err)
	}
}

// TestManifest_IsMissingInAnIncompleteFolder makes the removal of earlier files fail half-way.
func TestManifest_IsMissingInAnIncompleteFolder(t *testing.T) {
	folder := t.TempDir()
	c := datagen.Config{Plan: offline(t, special, nil), Folder: folder}
	if _, err := datagen.Generate(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(folder, "notes_9.tbl", "inside"), 0o700); err != nil {
		t.Fatal(err)
	}
	c.Overwrite = true
	if _, err := datagen.Generate(t.Context(), c); err == nil {
		t.Error("a folder that cannot be removed was replaced")
	}
	if _, _, err := datagen.Verify(t.Context(), folder, nil); job.ExitOf(err) != job.ExitMissing {
		t.Errorf("got error %v, want an error that there is no manifest", err)
	}
}

func TestOverwrite_ReplacesFilesOfAnyFormat(t *testing.T) {
	folder := t.TempDir()
	c := datagen.Config{Plan: offline(t, special, nil), Folder: folder, Overwrite: true}
	for _, format := range []datagen.Format{datagen.Dbgen, datagen.Parquet, datagen.CSV, datagen.Tbl} {
		c.Format = format
		if _, err := datagen.Generate(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		var files int
		for _, name := range list(t, folder) {
			if strings.HasPrefix(name, "notes") {
				files++
			}
		}
		if files != 1 {
			t.Errorf("%s: got %v, want one file of notes", format, list(t, folder))
		}
	}
	c.Overwrite, c.Format = false, datagen.Dbgen
	if _, err := datagen.Generate(t.Context(), c); !errors.As(err, new(datagen.ExistsError)) {
		t.Errorf("got error %v, want an error about existing files of another format", err)
	}
}
