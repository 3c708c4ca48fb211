package api

import (
	"strings"
	"testing"
)

// One user cannot take all streams.
func TestStreamLimit_OfOneUser(t *testing.T) {
	p := quota{what: "streams", remedy: "close one", most: mostStreams, mostOfOne: mostOfOne}
	for range mostOfOne {
		if err := p.take("ann"); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.take("ann"); err == nil || !strings.Contains(err.Error(), "ann has 64 streams") {
		t.Errorf("got %v, want a refusal that names ann and the limit", err)
	}
	for p.all < mostStreams {
		if err := p.take(""); err != nil {
			t.Fatalf("another user got %v with %d taken", err, p.all)
		}
	}
	if err := p.take("bob"); err == nil || !strings.Contains(err.Error(), "256 streams") {
		t.Errorf("got %v, want a refusal that names the limit of all", err)
	}
	p.free("ann")
	if err := p.take("ann"); err != nil {
		t.Errorf("got %v after a stream was closed", err)
	}
}
