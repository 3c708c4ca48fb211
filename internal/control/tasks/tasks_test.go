package tasks_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"

	"sledge/internal/control/tasks"
)

type task struct {
	number int
	over   bool
}

func (t *task) ID() string   { return strconv.Itoa(t.number) }
func (t *task) IsOver() bool { return t.over }

func TestList_KeepsRunningTasksAndTheLastEndedOnes(t *testing.T) {
	var l tasks.List[*task]
	begin := func(number int) *task {
		made, err := l.Begin(func(running []*task) (*task, error) {
			if len(running) == 3 {
				return nil, tasks.Busy("%d run", len(running))
			}
			return &task{number: number}, nil
		})
		if err != nil {
			var busy *tasks.BusyError
			if !errors.As(err, &busy) || busy.Ending || err.Error() != "3 run" {
				t.Fatalf("task %d: got %v", number, err)
			}
			return nil
		}
		return made
	}
	numbers := func() (list []int) {
		for _, one := range l.All() {
			list = append(list, one.number)
		}
		return list
	}
	first, second, third := begin(1), begin(2), begin(3)
	if begin(4) != nil {
		t.Error("a fourth task began beside three")
	}
	second.over = true
	fourth := begin(5)
	third.over, fourth.over = true, true
	for n := range tasks.Remembered - 1 {
		begin(6 + n).over = true
	}
	begin(100)
	if got := numbers(); len(got) != 2+tasks.Remembered || !slices.Equal(got[:3], []int{1, 5, 6}) || got[len(got)-1] != 100 {
		t.Errorf("got the tasks %v, want the two running tasks and the last ended ones", got)
	}
	if found, is := l.Find("5"); !is || found != fourth {
		t.Errorf("got %v, %t, want task 5", found, is)
	}
	l.Remove("5")
	if _, is := l.Find("5"); is || first.over {
		t.Error("a removed task is in the list")
	}
	if all := l.End(); len(all) != 1+tasks.Remembered {
		t.Errorf("got %d tasks at the end", len(all))
	}
	var busy *tasks.BusyError
	if _, err := l.Begin(func([]*task) (*task, error) { return &task{}, nil }); !errors.As(err, &busy) || !busy.Ending {
		t.Errorf("after the end: got %v", err)
	}
}

func TestCond_WakesAllWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c tasks.Cond
		value, woken := 0, 0
		canceled, cancel := context.WithCancel(t.Context())
		for range 3 {
			go func() {
				c.Lock()
				defer c.Unlock()
				for value == 0 {
					if c.Wait(t.Context()) != nil {
						return
					}
				}
				woken++
			}()
		}
		var ended error
		go func() {
			c.Lock()
			defer c.Unlock()
			ended = c.Wait(canceled)
		}()
		synctest.Wait()
		cancel()
		synctest.Wait()
		if !errors.Is(ended, context.Canceled) || woken != 0 {
			t.Errorf("got %v and %d woken, want only the canceled wait to end", ended, woken)
		}
		c.Lock()
		value = 1
		c.Broadcast()
		c.Unlock()
		synctest.Wait()
		if woken != 3 {
			t.Errorf("%d of 3 were woken", woken)
		}
	})
}
