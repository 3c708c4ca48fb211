package program

import (
	"fmt"

	"sledge/internal/metrics"
	"sledge/internal/report"
)

// OTLP returns how metrics are sent to OpenTelemetry: to the collector of the flag --otlp, or else to
// that of OpenTelemetry's variables. It returns nil if neither names one.
func (p *Program) OTLP(flag string) (*metrics.OTLP, error) {
	say := func(line string) { fmt.Fprintf(p.Stderr, "sledge: %s\n", report.Printable(line)) }
	if flag != "" {
		if err := metrics.CheckOTLP(flag); err != nil {
			return nil, Usage("--otlp: %w", err)
		}
		return &metrics.OTLP{Endpoint: flag, Say: say}, nil
	}
	wanted, unsupported := metrics.OTLPWanted(p.Environment)
	if unsupported != "" {
		say("warning: " + unsupported)
	}
	if !wanted {
		return nil, nil
	}
	return &metrics.OTLP{Say: say}, nil
}
