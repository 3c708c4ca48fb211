package host

import (
	"runtime"
	"testing"
)

func TestUseCores_RestoresTheInitialValue(t *testing.T) {
	defer func(cores int, fixed bool) { initialCores, fixedCores = cores, fixed; runtime.GOMAXPROCS(cores) }(initialCores, fixedCores)
	loops, goroutines, embedded := CoreUse{Loops: 3}, CoreUse{}, CoreUse{All: true}
	for _, tt := range []struct {
		cores     int
		fixed     bool
		uses      []CoreUse
		whileBoth int
		afterOne  int // when the first has ended
	}{
		{8, false, []CoreUse{goroutines, goroutines}, 4, 4},
		{8, false, []CoreUse{loops, loops}, 7, 4},
		{8, false, []CoreUse{loops, goroutines}, 7, 4},
		{8, false, []CoreUse{goroutines, loops}, 7, 4},
		{8, false, []CoreUse{embedded, loops}, 11, 4},
		{8, true, []CoreUse{goroutines, loops}, 11, 8},
		{2, true, []CoreUse{goroutines, loops}, 5, 4},
		{1, false, []CoreUse{goroutines, goroutines}, 1, 1},
	} {
		initialCores, fixedCores = tt.cores, tt.fixed
		first, second := UseCores(tt.uses[0]), UseCores(tt.uses[1])
		if got := runtime.GOMAXPROCS(0); got != tt.whileBoth {
			t.Errorf("%+v: both together got GOMAXPROCS %d, want %d", tt, got, tt.whileBoth)
		}
		first()
		if got := runtime.GOMAXPROCS(0); got != tt.afterOne {
			t.Errorf("%+v: after the first ended, got GOMAXPROCS %d, want %d", tt, got, tt.afterOne)
		}
		second()
		if got := runtime.GOMAXPROCS(0); got != tt.cores {
			t.Errorf("%+v: after both ended, got GOMAXPROCS %d, want the initial %d", tt, got, tt.cores)
		}
	}
}
