package job

import (
	"testing"
	"time"

	"sledge/internal/meter"
)

func TestServerRate_Expires(t *testing.T) {
	var rate ServerRate
	tpm := 600.0
	second := Second{Measured: meter.CodedSummary{Elapsed: time.Second}}
	if got := rate.Add(second); got != nil {
		t.Errorf("before the first reading: got %v, want nil", *got)
	}
	read := second
	read.ServerTPM = &tpm
	if got := rate.Add(read); got == nil || *got != tpm {
		t.Errorf("with a reading: got %v, want %v", got, tpm)
	}
	for passed := time.Second; passed <= ServerRateLasts+2*time.Second; passed += time.Second {
		if got := rate.Add(second); (got != nil) != (passed <= ServerRateLasts) {
			t.Errorf("%s after a reading: got %v", passed, got)
		}
	}
}
