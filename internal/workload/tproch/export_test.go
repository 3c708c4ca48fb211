package tproch

// Text returns what a question is asked by.
func Text(inputs any) (string, error) {
	q := inputs.(*question)
	return q.text, q.err
}
