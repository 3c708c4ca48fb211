package jobs

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"time"

	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/metrics"
	"sledge/internal/repository"
)

// exports are the flags of run that export metrics.
type exports struct {
	metrics string // address to serve them on
	otlp    string // address of a collector
}

// begin begins to export the metrics of runs, if the flags or OpenTelemetry's variables ask for it. end
// waits for the last scrape, unless the user has interrupted the run.
func (x *exports) begin(p *program.Program, s *jobflags.Flags) (end func(ctx context.Context), err error) {
	end = func(context.Context) {}
	if !s.Performs() {
		return end, nil
	}
	registry := metrics.NewRegistry(p.Version)
	if registry.OTLP, err = p.OTLP(x.otlp); err != nil {
		return nil, err
	}
	if registry.OTLP != nil {
		s.Metrics = registry
	}
	if x.metrics == "" {
		return end, nil
	}
	s.Metrics = registry
	address, err := net.ResolveTCPAddr("tcp", x.metrics)
	if err != nil {
		return nil, program.Usage("--metrics %s: give an address and a port, such as 127.0.0.1:9464 (%w)", x.metrics, err)
	}
	if !address.IP.IsLoopback() {
		return nil, program.Usage("--metrics %s: other machines can reach this address, and metrics are served without TLS. Use 127.0.0.1:%d, and reach it by ssh -L %[2]d:127.0.0.1:%[2]d HOST; or start the run in sledge web, which serves /metrics with TLS",
			x.metrics, address.Port)
	}
	folder, err := privateFolder(p, s.Repository)
	if err != nil {
		return nil, err
	}
	token, file, err := metrics.Token(folder)
	if err != nil {
		return nil, fmt.Errorf("--metrics: the token: %w", err)
	}
	listener, err := program.Listen(address)
	if err != nil {
		return nil, program.Usage("--metrics %s: %w", x.metrics, err)
	}
	server := metrics.Serve(listener, registry, token)
	fmt.Fprintf(p.Stderr, "metrics at http://%s/metrics, with the token in %s\n", listener.Addr(), file)
	return func(ctx context.Context) {
		if len(s.Ended) > 0 && p.Interrupts.Count() == 0 {
			awaitLastScrape(ctx, p, server)
		}
		_ = server.Close()
	}, nil
}

// awaitLastScrape waits until Prometheus has read the last figures.
func awaitLastScrape(ctx context.Context, p *program.Program, server *metrics.Server) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer p.Interrupts.Instead(func(int) { cancel() })()
	server.AwaitLast(ctx, time.Now(), func(wait time.Duration) {
		if wait > time.Second {
			fmt.Fprintf(p.Stderr, "waiting up to %.0f s for Prometheus to read the last figures (Ctrl-C ends the wait)\n", wait.Seconds())
		}
	})
}

// privateFolder returns the folder of the job repository, or of the default one if the repository is not
// a file.
func privateFolder(p *program.Program, repo string) (string, error) {
	path, err := p.Repository(repo)
	if path == ":memory:" {
		path, err = repository.DefaultPath()
	}
	return filepath.Dir(path), err
}
