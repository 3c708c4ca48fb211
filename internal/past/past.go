// Package past imports the results of programs that run another load generator with many settings: those of
// pgbench-tools; package history uses it for those of hammerpost. An imported series of runs is an experiment in Sledge's
// repository, with a label for each setting that varied.
package past

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"sledge/internal/job"
	"sledge/internal/repository"
)

// ID returns the permanent ID of a job of another program, from what identifies it there.
func ID(parts ...any) job.ID {
	sum := sha256.Sum256([]byte(fmt.Sprintf("%q", parts)))
	return job.ID(strings.ToUpper(hex.EncodeToString(sum[:12])))
}

// Free returns an error if an experiment of this name exists that another origin has recorded, because its
// runs would be mixed with the imported ones.
func Free(ctx context.Context, store *repository.Store, name, origin string) error {
	if _, _, err := job.ParseLabel(job.LabelExperiment + "=" + name); err != nil {
		return job.WithExit(job.ExitUsage, fmt.Errorf("the name of the experiment: %w: choose one with --name", err))
	}
	runs, err := store.List(ctx, repository.Query{Labels: map[string]string{job.LabelExperiment: name}, Figures: true})
	if err != nil {
		return err
	}
	for _, j := range runs {
		if j.Origin != origin {
			return job.WithExit(job.ExitExists, fmt.Errorf("there is an experiment %s whose runs %s did not record: choose another name with --name", name, origin))
		}
	}
	return nil
}

// Label makes a text of another program the value of a label.
func Label(text string) string {
	text = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || c == utf8.RuneError {
			return ' '
		}
		return c
	}, strings.TrimSpace(text))
	const longest = 200
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest-1]) + "…"
	}
	if text == "" {
		return "none"
	}
	return text
}
