package meter

// Brief holds the measurements that a chart shows for an interval, over all kinds of transaction.
// It takes dozens of bytes; a CodedSummary takes thousands.
type Brief struct {
	Ended    int64    // transactions that were done or rolled back
	Failed   int64    // failed transactions
	Response *Latency // of done transactions; nil if there are none
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
