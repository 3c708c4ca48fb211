package metrics

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
)

// OTLP sends the metrics of runs to a collector of OpenTelemetry, by HTTP and protobuf. OpenTelemetry's
// own variables OTEL_* set what its fields do not: headers, certificates, compression, timeouts.
type OTLP struct {
	Endpoint string            // the address of the collector; "" means the variables OTEL_EXPORTER_OTLP_*
	Say      func(line string) // prints why metrics were lost, once for each run
}

const (
	// usualInterval is the time between two exports unless OTEL_METRIC_EXPORT_INTERVAL sets another one.
	usualInterval = 10 * time.Second

	// lastWithin is the time limit of the last export of a run.
	lastWithin = 5 * time.Second
)

// OTLPWanted reports whether OpenTelemetry's variables ask for metrics: they name a collector and do not
// switch metrics off. unsupported is why such a request cannot be met; "" if it can.
func OTLPWanted(environment func(name string) string) (wanted bool, unsupported string) {
	endpoint := environment("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT") + environment("OTEL_EXPORTER_OTLP_ENDPOINT")
	if endpoint == "" || strings.EqualFold(environment("OTEL_SDK_DISABLED"), "true") || environment("OTEL_METRICS_EXPORTER") == "none" {
		return false, ""
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		switch protocol := environment(name); protocol {
		case "":
			continue
		case "http/protobuf":
			return true, ""
		default:
			return false, fmt.Sprintf("%s=%s: metrics are not exported, because Sledge supports http/protobuf only (usually on port 4318)", name, protocol)
		}
	}
	return true, ""
}

// CheckOTLP returns an error if a text is not the address of a collector.
func CheckOTLP(endpoint string) error {
	u, err := url.Parse(endpoint)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return fmt.Errorf("%q is not the address of a collector, such as http://127.0.0.1:4318", endpoint)
	case u.User != nil:
		return fmt.Errorf("leave the password out of the address, because other users can see it, and set OTEL_EXPORTER_OTLP_HEADERS")
	}
	return nil
}

// begin begins to export a run. end exports the last figures.
func (o *OTLP) begin(run *Run) (end func()) {
	var options []otlpmetrichttp.Option
	if o.Endpoint != "" {
		address := o.Endpoint
		if u, err := url.Parse(address); err == nil && strings.Trim(u.Path, "/") == "" {
			address = u.JoinPath("v1/metrics").String()
		}
		options = append(options, otlpmetrichttp.WithEndpointURL(address))
	}
	exporter, err := otlpmetrichttp.New(context.Background(), options...)
	if err != nil {
		o.Say(fmt.Sprintf("OTLP: metrics are not exported: %v", err))
		return func() {}
	}
	watched := &watchedExporter{Exporter: exporter}
	var reading []metric.PeriodicReaderOption
	if os.Getenv("OTEL_METRIC_EXPORT_INTERVAL") == "" {
		reading = append(reading, metric.WithInterval(usualInterval))
	}
	reader := metric.NewPeriodicReader(watched, append(reading, metric.WithProducer(producer{run}))...)
	provider := metric.NewMeterProvider(metric.WithResource(run.resource()), metric.WithReader(reader))
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), lastWithin)
		defer cancel()
		err := provider.Shutdown(ctx) // exports once more
		if watched.failed > 0 {
			o.Say(fmt.Sprintf("OTLP: %d of %d exports of the metrics of job %s failed: %v", watched.failed, watched.exports, run.job.ID, watched.err))
		} else if err != nil {
			o.Say(fmt.Sprintf("OTLP: the last metrics of job %s were not exported: %v", run.job.ID, err))
		}
	}
}

// watchedExporter counts failures, which would otherwise be printed in the middle of a display. The
// reader calls it from one goroutine at a time.
type watchedExporter struct {
	metric.Exporter
	exports, failed int
	err             error // of the last failure
}

// Export implements metric.Exporter.
func (w *watchedExporter) Export(ctx context.Context, m *metricdata.ResourceMetrics) error {
	w.exports++
	if err := w.Exporter.Export(ctx, m); err != nil {
		w.failed++
		w.err = err
	}
	return nil
}

// resource describes the process and the job. Variables OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME
// add to it.
func (r *Run) resource() *resource.Resource {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := resource.NewSchemaless(
		semconv.ServiceName("sledge"), semconv.ServiceVersion(r.version), semconv.ServiceInstanceID(string(r.job.ID)),
		attribute.String("sledge.job.id", string(r.job.ID)), attribute.String("sledge.workload", r.job.Spec.Workloads()),
	)
	surroundings, err := resource.New(context.Background(), resource.WithHost(), resource.WithOSType(), resource.WithFromEnv())
	if err != nil {
		return known
	}
	merged, err := resource.Merge(known, surroundings)
	if err != nil {
		return known
	}
	return merged
}

// producer implements metric.Producer: it converts the totals of a run, so that no transaction is
// recorded twice.
type producer struct{ run *Run }

// Produce implements metric.Producer.
func (p producer) Produce(context.Context) ([]metricdata.ScopeMetrics, error) {
	var list []metricdata.Metrics
	at := map[string]int{}
	now := time.Now()
	calls := map[string]*histogram{} // service times by kind, of all phases
	var order []string
	p.run.points(func(one point) {
		name := one.of.OTel()
		i, known := at[name]
		if !known {
			i = len(list)
			at[name] = i
			list = append(list, metricdata.Metrics{Name: name, Description: one.of.Help + ".", Unit: one.of.Unit()})
		}
		attributes := one.attributes()
		switch data := list[i].Data.(type) {
		case nil:
			list[i].Data = firstOf(one, attributes, p.run.begun, now)
		case metricdata.Sum[float64]:
			data.DataPoints = append(data.DataPoints, number(one, attributes, p.run.begun, now))
			list[i].Data = data
		case metricdata.Gauge[float64]:
			data.DataPoints = append(data.DataPoints, number(one, attributes, p.run.begun, now))
			list[i].Data = data
		case metricdata.ExponentialHistogram[float64]:
			data.DataPoints = append(data.DataPoints, one.histogram.exponential(attributes, p.run.begun, now))
			list[i].Data = data
		}
		if one.of == service {
			kind := one.labels[0]
			if calls[kind] == nil {
				calls[kind] = &histogram{}
				order = append(order, kind)
			}
			calls[kind].merge(one.histogram)
		}
	})
	if len(order) > 0 {
		operations := metricdata.ExponentialHistogram[float64]{Temporality: metricdata.CumulativeTemporality}
		about := p.run.database()
		for _, kind := range order {
			attributes := attribute.NewSet(append([]attribute.KeyValue{semconv.DBOperationName(kind)}, about...)...)
			operations.DataPoints = append(operations.DataPoints, calls[kind].exponential(attributes, p.run.begun, now))
		}
		list = append(list, metricdata.Metrics{Name: "db.client.operation.duration", Description: "Duration of database client operations.", Unit: "s", Data: operations})
	}
	return []metricdata.ScopeMetrics{{Scope: instrumentation.Scope{Name: "sledge", Version: p.run.version}, Metrics: list}}, nil
}

// OTel returns the name in OpenTelemetry: without the unit, which is apart. Prometheus turns it
// into Name again.
func (m *Metric) OTel() string {
	name := strings.TrimSuffix(strings.TrimPrefix(m.Name, "sledge_"), "_total")
	for _, known := range units {
		if short, has := strings.CutSuffix(name, known.end); has {
			name = short
			break
		}
	}
	return "sledge." + name
}

func (p point) attributes() attribute.Set {
	var list []attribute.KeyValue
	for i, label := range p.of.Labels {
		if p.labels[i] != "" {
			list = append(list, attribute.String(label, p.labels[i]))
		}
	}
	return attribute.NewSet(list...)
}

func firstOf(p point, attributes attribute.Set, begun, now time.Time) metricdata.Aggregation {
	switch p.of.Type {
	case Counter:
		return metricdata.Sum[float64]{
			Temporality: metricdata.CumulativeTemporality, IsMonotonic: true, DataPoints: []metricdata.DataPoint[float64]{number(p, attributes, begun, now)},
		}
	case Histogram:
		return metricdata.ExponentialHistogram[float64]{
			Temporality: metricdata.CumulativeTemporality,
			DataPoints:  []metricdata.ExponentialHistogramDataPoint[float64]{p.histogram.exponential(attributes, begun, now)},
		}
	}
	return metricdata.Gauge[float64]{DataPoints: []metricdata.DataPoint[float64]{number(p, attributes, begun, now)}}
}

func number(p point, attributes attribute.Set, begun, now time.Time) metricdata.DataPoint[float64] {
	return metricdata.DataPoint[float64]{Attributes: attributes, StartTime: begun, Time: now, Value: p.value}
}

// merge adds another histogram.
func (h *histogram) merge(other *histogram) {
	if h.native == nil {
		h.native = map[int]int64{}
	}
	h.count += other.count
	h.sum += other.sum
	for exponent, n := range other.native {
		h.native[exponent] += n
	}
}

// mostBuckets is the number of buckets from the lowest to the highest, as in OpenTelemetry's SDK.
const mostBuckets = 160

// exponential returns an exponential histogram of OpenTelemetry. Its bucket i ends at
// 2^((i+1)/2^scale). The scale is lower than schema if there would be more than mostBuckets.
func (h *histogram) exponential(attributes attribute.Set, begun, now time.Time) metricdata.ExponentialHistogramDataPoint[float64] {
	p := metricdata.ExponentialHistogramDataPoint[float64]{
		Attributes: attributes, StartTime: begun, Time: now, Count: uint64(h.count), Sum: h.sum, Scale: schema,
	}
	if h.count == 0 {
		return p
	}
	first, last := 1<<30, -1<<30
	for exponent := range h.native {
		first, last = min(first, exponent-1), max(last, exponent-1)
	}
	shift := 0
	for last>>shift-first>>shift >= mostBuckets {
		shift++
	}
	p.Scale -= int32(shift)
	p.PositiveBucket.Offset = int32(first >> shift)
	p.PositiveBucket.Counts = make([]uint64, last>>shift-first>>shift+1)
	for exponent, n := range h.native {
		p.PositiveBucket.Counts[(exponent-1)>>shift-first>>shift] += uint64(n)
	}
	return p
}

// database describes the server by the attributes of OpenTelemetry's conventions for databases.
func (r *Run) database() []attribute.KeyValue {
	r.mu.Lock()
	defer r.mu.Unlock()
	systems := map[string]attribute.KeyValue{
		"db2": semconv.DBSystemNameIBMDB2, "oracle": semconv.DBSystemNameOracleDB, "sqlserver": semconv.DBSystemNameMicrosoftSQLServer,
	}
	system, known := systems[r.job.Spec.Database]
	if !known {
		system = semconv.DBSystemNameKey.String(r.job.Spec.Database) // the same name
	}
	list := []attribute.KeyValue{system}
	namespace, address, found := strings.Cut(r.target, " on ")
	if !found {
		return list // an embedded database
	}
	list = append(list, semconv.DBNamespace(text(namespace)))
	if host, port, err := net.SplitHostPort(address); err == nil && !strings.ContainsAny(host, "/,") {
		list = append(list, semconv.ServerAddress(text(host)))
		if n, err := strconv.Atoi(port); err == nil {
			list = append(list, semconv.ServerPort(n))
		}
	}
	return list
}
