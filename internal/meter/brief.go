package meter

// Brief is what a chart shows of what was measured over some time, of all kinds of transaction
// together. It takes some dozen bytes where a CodedSummary takes some thousand.
type Brief struct {
	Ended    int64    // transactions that were done or rolled back
	Failed   int64    // those that failed
	Response *Latency // of those done; nil where none was
}

// Brief returns a summary of c. It reads only the response times.
func (c CodedSummary) Brief() (Brief, error) {
	var b Brief
	var done []CodedHistogram
	for i := range c.Kinds {
		t := &c.Kinds[i]
		b.Ended += t.Done + t.RolledBack
		b.Failed += t.failures()
		if t.Done > 0 {
			done = append(done, t.Response)
		}
	}
	if len(done) == 0 {
		return b, nil
	}
	all, err := Together(done...)
	if err != nil {
		return b, err
	}
	l := NewLatency(all)
	b.Response = &l
	return b, nil
}
