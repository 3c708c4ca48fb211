package screen

import (
	"context"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"

	"sledge/internal/top"
)

// Program draws a screen on a terminal, and reads its keys.
type Program struct{ tea *tea.Program }

// readingMsg has the newest reading. tickMsg asks for the next one of a recording.
type (
	readingMsg struct{ top.Reading }
	tickMsg    struct{}
)

// framesPerSecond limits how often the terminal is written to.
const framesPerSecond = 10

// NewProgram returns a program for a terminal. It leaves signals to the caller.
func NewProgram(ctx context.Context, s *Screen, in, out *os.File, environ []string) *Program {
	return &Program{tea.NewProgram(model{s},
		tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out), tea.WithEnvironment(environ), tea.WithoutSignalHandler(), tea.WithFPS(framesPerSecond))}
}

// Run draws until the user quits or Quit is called.
func (p *Program) Run() error {
	_, err := p.tea.Run()
	return err
}

// Add shows a reading. It may be called from another goroutine, before Run and after it.
func (p *Program) Add(r top.Reading) { p.tea.Send(readingMsg{r}) }

// Quit ends Run.
func (p *Program) Quit() { p.tea.Quit() }

// model is a screen as bubbletea draws it.
type model struct{ *Screen }

var _ tea.Model = model{}

// Init implements tea.Model.
func (m model) Init() tea.Cmd {
	if m.Replay != nil {
		return tick()
	}
	return nil
}

func tick() tea.Cmd { return tea.Tick(time.Second, func(time.Time) tea.Msg { return tickMsg{} }) }

// Update implements tea.Model.
func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case readingMsg:
		m.Add(msg.Reading)
	case tickMsg:
		m.Advance()
		return m, tick()
	case tea.KeyPressMsg:
		key := msg.Key()
		switch {
		case msg.String() == "ctrl+z":
			return m, tea.Suspend
		case msg.String() == "ctrl+l":
			return m, tea.ClearScreen
		case m.Press(msg.String(), key.Text):
			return m, tea.Quit
		}
	case tea.PasteMsg:
		if m.typing {
			m.typeFilter("", msg.Content)
		}
	}
	return m, nil
}

// View implements tea.Model.
func (m model) View() tea.View {
	v := tea.NewView(m.Text(m.width, m.height))
	v.AltScreen = true
	return v
}
