package pgbench

import (
	"maps"
	"strconv"
)

// Client is a client of pgbench: its variables and its random numbers. A virtual user has one, and keeps it
// over its transactions.
type Client struct {
	State

	// Ended means that the client does no more transactions, because one of them failed.
	Ended bool

	choices random

	// The state before the current transaction, from which a repetition starts. begun means that the
	// transaction was begun.
	begun  bool
	random random
	saved  map[string]Value
}

// NewClient returns a client of a run. number is its number from 0, and all is the number of clients of the run.
// Its random numbers are those that pgbench draws with --random-seed, and its choices of scripts those that
// pgbench makes with a thread for each client. variables are the texts of variables by their names, as with -D.
func NewClient(seed uint64, number, all int, variables map[string]string) *Client {
	base := newRandom(seed)
	c := &Client{State: State{Variables: map[string]Value{}}, saved: map[string]Value{}}
	for i := range all {
		if own := base.next(); i == number {
			c.State.random = newRandom(own)
		}
	}
	c.Variables["client_id"] = Int(int64(number))
	c.Variables["random_seed"] = Text(strconv.FormatUint(seed, 10))
	for name, text := range variables {
		c.Variables[name] = Text(text)
	}
	if _, given := variables["default_seed"]; !given {
		c.Variables["default_seed"] = Int(int64(base.next()))
	}
	for i := range number + 1 {
		own := base.next()
		_, _ = base.next(), base.next() // pgbench's for throttling and for sampling
		if i == number {
			c.choices = newRandom(own)
		}
	}
	return c
}

// Choose chooses a script by its weight. The sum of the weights is positive.
func (c *Client) Choose(weights []float64) int {
	whole := int64(0)
	for _, w := range weights {
		if w != float64(int64(w)) {
			return c.chooseByShare(weights)
		}
		whole += int64(w)
	}
	if len(weights) == 1 {
		return 0
	}
	left := c.choices.within(0, whole-1)
	for i, w := range weights {
		if left -= int64(w); left < 0 {
			return i
		}
	}
	return len(weights) - 1
}

// chooseByShare is Choose for weights that are not whole numbers, which pgbench does not have.
func (c *Client) chooseByShare(weights []float64) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	left := c.choices.float() * sum
	for i, w := range weights {
		if left -= w; left < 0 {
			return i
		}
	}
	return len(weights) - 1
}

// Next says that the next call of Runner.Do begins a new transaction, and does not repeat the last one.
func (c *Client) Next() { c.begun = false }

// begin saves the state before a transaction, or restores it if the transaction is repeated.
func (c *Client) begin() (repeated bool) {
	if c.begun {
		c.State.random = c.random
		clear(c.Variables)
		maps.Copy(c.Variables, c.saved)
		return true
	}
	c.begun, c.random = true, c.State.random
	clear(c.saved)
	maps.Copy(c.saved, c.Variables)
	return false
}
