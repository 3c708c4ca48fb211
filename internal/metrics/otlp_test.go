package metrics

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	received "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	otlp "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"

	"sledge/internal/job"
	"sledge/internal/meter"
)

// A collector gets each metric at the end of a run, with the counts of the job.
func TestOTLP_SendsEachMetric(t *testing.T) {
	var got []*received.ExportMetricsServiceRequest
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		message := &received.ExportMetricsServiceRequest{}
		if err == nil {
			err = proto.Unmarshal(body, message)
		}
		if err != nil || r.URL.Path != "/v1/metrics" {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		got = append(got, message)
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	defer server.Close()
	run := NewRegistry("1.2.3").begin(theJob)
	end := (&OTLP{Endpoint: server.URL, Say: func(line string) { t.Error(line) }}).begin(run)
	sum := meter.NewSummary(len(theJob.Kinds))
	for _, e := range theEvents() {
		if e.Second != nil {
			if err := sum.AddCoded(e.Second.Measured); err != nil {
				t.Fatal(err)
			}
		}
		run.add(e)
	}
	end()
	if len(got) != 1 || len(got[0].GetResourceMetrics()) != 1 {
		t.Fatalf("got %d messages, want 1", len(got))
	}
	of := got[0].GetResourceMetrics()[0]
	for _, want := range []string{`key:"service.name" value:{string_value:"sledge"}`, `key:"sledge.job.id" value:{string_value:"6924D2A1CB2103E273937323"}`} {
		if text := strings.ReplaceAll(of.GetResource().String(), "  ", " "); !strings.Contains(text, want) {
			t.Errorf("the resource is %s, want %s", text, want)
		}
	}
	byName := map[string]*otlp.Metric{}
	for _, m := range of.GetScopeMetrics()[0].GetMetrics() {
		if byName[m.GetName()] != nil {
			t.Errorf("%s is there twice", m.GetName())
		}
		byName[m.GetName()] = m
	}
	for _, m := range Metrics {
		if one := byName[m.OTel()]; one == nil || one.GetUnit() != m.Unit() {
			t.Errorf("%s is %v, want it in %s", m.OTel(), one, m.Unit())
		}
	}
	for _, name := range []string{"sledge.response", "sledge.service", "db.client.operation.duration"} {
		points := byName[name].GetExponentialHistogram().GetDataPoints()
		if len(points) != len(theJob.Kinds) {
			t.Fatalf("%s has %d points, want one for each kind", name, len(points))
		}
		for k, p := range points {
			var n uint64
			for _, count := range p.GetPositive().GetBucketCounts() {
				n += count
			}
			if want := uint64(sum.Kinds[k].Done); n != want || p.GetCount() != want || len(p.GetPositive().GetBucketCounts()) > mostBuckets || p.GetScale() > schema {
				t.Errorf("%s: %d times of %d in %d buckets of scale %d, want %d", name, n, p.GetCount(), len(p.GetPositive().GetBucketCounts()), p.GetScale(), want)
			}
		}
	}
	var attributes []string
	for _, a := range byName["db.client.operation.duration"].GetExponentialHistogram().GetDataPoints()[1].GetAttributes() {
		attributes = append(attributes, a.GetKey()+"="+a.GetValue().GetStringValue())
	}
	if want := []string{"db.namespace=tpcc", "db.operation.name=payment", "db.system.name=postgresql", "server.address=db1", "server.port="}; !slices.Equal(attributes, want) {
		t.Errorf("got the attributes %q, want %q", attributes, want)
	}
}

// An exponential histogram has the bounds of the native one, or those of a lower scale.
func TestHistogram_BecomesExponential(t *testing.T) {
	h := &histogram{count: 6, native: map[int]int64{-31: 1, 0: 2, 32: 3}} // up to 0.51 s, 1 s and 2 s
	p := h.exponential(attribute.Set{}, theJob.Begun, theJob.Begun)
	if p.Scale != 5 || p.PositiveBucket.Offset != -32 || len(p.PositiveBucket.Counts) != 64 || p.PositiveBucket.Counts[31] != 2 || p.PositiveBucket.Counts[63] != 3 {
		t.Errorf("got %+v", p)
	}
	h.native[-320] = 4 // 2^-10 s: 353 buckets of scale 5, 177 of scale 4, 89 of scale 3
	p = h.exponential(attribute.Set{}, theJob.Begun, theJob.Begun)
	if p.Scale != 3 || p.PositiveBucket.Offset != -81 || len(p.PositiveBucket.Counts) != 89 || p.PositiveBucket.Counts[0] != 4 || p.PositiveBucket.Counts[88] != 3 {
		t.Errorf("got %+v", p)
	}
}

// A run whose collector is not there says so once, and is not held up.
func TestOTLP_SaysWhatWasLost(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	address := server.URL
	server.Close()
	var said []string
	r := NewRegistry("")
	r.OTLP = &OTLP{Endpoint: address, Say: func(line string) { said = append(said, line) }}
	r.Follow(theJob, func(func(job.Event, int64) bool) {}, func() job.Job { return theJob })
	if len(said) != 1 || !strings.Contains(said[0], "1 of 1 exports of the metrics of job 6924D2A1CB2103E273937323 failed") {
		t.Errorf("got %q", said)
	}
}

func TestOTLPWanted_FollowsTheVariables(t *testing.T) {
	for _, tt := range []struct {
		set         map[string]string
		wanted      bool
		unsupported bool
	}{
		{nil, false, false},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, true, false},
		{map[string]string{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://c:4318/x"}, true, false},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_SDK_DISABLED": "true"}, false, false},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_METRICS_EXPORTER": "none"}, false, false},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, false, true},
	} {
		wanted, unsupported := OTLPWanted(func(name string) string { return tt.set[name] })
		if wanted != tt.wanted || unsupported != "" != tt.unsupported {
			t.Errorf("%v: got %t, %q", tt.set, wanted, unsupported)
		}
	}
	for _, wrong := range []string{"", "127.0.0.1:4318", "ftp://x", "http://me:secret@c:4318"} {
		if err := CheckOTLP(wrong); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v", wrong, err)
		}
	}
}
