package cli

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/document"
)

// VersionOf returns the version that the linker set, or the commit that the program was built from.
func VersionOf(linked string) string {
	if linked != "" {
		return linked
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return versionOfBuild(info)
}

func versionOfBuild(info *debug.BuildInfo) string {
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	var revision, modified string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = "+changes"
		}
	}
	if revision == "" {
		return "unknown"
	}
	return revision + modified
}

func versionCommand(p *program.Program) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the version, the databases and the workloads",
		Example: program.Examples("sledge version", "sledge version --json"),
		GroupID: program.GroupOthers,
		Args:    program.NoArguments,
		RunE: p.Body(func(context.Context, []string) error {
			if asJSON {
				return p.PrintJSON(document.NewVersion(p.Resolver, p.Version))
			}
			_, err := fmt.Fprintf(p.Stdout, "sledge %s (%s, %s/%s)\ndatabases: %s\nworkloads: %s\n",
				p.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH,
				strings.Join(jobflags.DatabaseNames(p.Resolver), ", "), strings.Join(jobflags.WorkloadNames(p.Resolver), ", "))
			return err
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
