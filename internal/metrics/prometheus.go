package metrics

import (
	"net/http"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
)

// Handler returns the metrics of all runs in Prometheus' formats. If the client accepts protobuf,
// histograms are native and classic, otherwise only classic.
func (r *Registry) Handler() http.Handler {
	all := prometheus.NewRegistry()
	all.MustRegister(collector{r})
	return promhttp.HandlerFor(all, promhttp.HandlerOpts{EnableOpenMetrics: true, ErrorHandling: promhttp.ContinueOnError})
}

// collector implements prometheus.Collector.
type collector struct{ registry *Registry }

// descriptions describe the metrics to the library.
var descriptions = func() map[*Metric]*prometheus.Desc {
	all := map[*Metric]*prometheus.Desc{}
	for _, m := range Metrics {
		all[m] = prometheus.NewDesc(m.Name, m.Help+".", append([]string{"run"}, m.Labels...), nil)
	}
	return all
}()

// Describe implements prometheus.Collector.
func (c collector) Describe(to chan<- *prometheus.Desc) {
	for _, m := range Metrics {
		to <- descriptions[m]
	}
}

// Collect implements prometheus.Collector.
func (c collector) Collect(to chan<- prometheus.Metric) {
	for _, run := range c.registry.list() {
		var all []prometheus.Metric // the run is not locked while they are sent
		run.points(func(p point) {
			one, err := p.metric(run)
			if err != nil {
				one = prometheus.NewInvalidMetric(descriptions[p.of], err)
			}
			all = append(all, one)
		})
		for _, one := range all {
			to <- one
		}
	}
}

// metric returns a point of a run as the library sends it.
func (p point) metric(run *Run) (prometheus.Metric, error) {
	labels := slices.Insert(slices.Clone(p.labels), 0, run.number)
	switch {
	case p.histogram != nil:
		return p.histogram.metric(descriptions[p.of], run, labels)
	case p.of.Type == Counter:
		return prometheus.NewConstMetricWithCreatedTimestamp(descriptions[p.of], prometheus.CounterValue, p.value, run.begun, labels...)
	}
	return prometheus.NewConstMetric(descriptions[p.of], prometheus.GaugeValue, p.value, labels...)
}

func (h *histogram) metric(of *prometheus.Desc, run *Run, labels []string) (prometheus.Metric, error) {
	const zeroBelow = 1e-9 // no time is shorter
	native, err := prometheus.NewConstNativeHistogram(of, uint64(h.count), h.sum, h.native, nil, 0, schema, zeroBelow, run.begun, labels...)
	both := nativeAndClassic{Metric: native}
	var below int64
	for i, bound := range bounds {
		below += h.classic[i]
		both.buckets = append(both.buckets, &dto.Bucket{UpperBound: new(bound), CumulativeCount: new(uint64(below))})
	}
	return both, err
}

// nativeAndClassic is a native histogram that also has classic buckets.
type nativeAndClassic struct {
	prometheus.Metric
	buckets []*dto.Bucket
}

// Write implements prometheus.Metric.
func (n nativeAndClassic) Write(to *dto.Metric) error {
	err := n.Metric.Write(to)
	if err == nil {
		to.Histogram.Bucket = n.buckets
	}
	return err
}
