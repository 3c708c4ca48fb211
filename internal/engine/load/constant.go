package load

// constant is a constant rate: 500/s.
type constant struct {
	pieces
	rate float64
}

func newConstant(text string) (Profile, error) {
	rate, err := parseRate(text)
	if err != nil {
		return nil, err
	}
	return &constant{joined(moment{0, rate}), rate}, nil
}

// String implements Profile.
func (c *constant) String() string { return spellRate(c.rate) }
