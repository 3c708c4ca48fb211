package observer

import (
	"context"

	"sledge/internal/host"
)

// Machine measures once a second how the client's machine is used.
type Machine struct {
	Base

	axis    Axis
	sampler *host.Sampler
}

// Name implements Observer.
func (m *Machine) Name() string { return "The client's machine" }

// Begin implements Observer.
func (m *Machine) Begin(_ context.Context, axis Axis) error {
	m.axis, m.sampler = axis, host.NewSampler()
	return nil
}

// Sample implements Sampler. Figures that cannot be read are missing beside the others.
func (m *Machine) Sample(context.Context) error {
	samples, err := m.sampler.Sample()
	m.axis.Append(samples...)
	if len(samples) > 0 {
		return nil
	}
	return err
}
