package console

import (
	"context"
	"errors"
	"strconv"
)

// Web is a running server of the web application, started by any command.
type Web interface {
	// Environment returns the server's address and version.
	Environment(ctx context.Context) (string, error)

	// End asks the server to end. The server ends after its jobs have stopped.
	End(ctx context.Context) error
}

// OwnWeb is a server that this console has started.
type OwnWeb interface {
	// Link returns the address to open, and whether it logs in by itself, once.
	Link() (address string, logsIn bool)

	// Quit stops the server's jobs and then the server. A second call aborts the jobs.
	Quit()

	// Wait waits until the server has ended.
	Wait() error
}

// web is the console's state of the web service.
type web struct {
	own  OwnWeb // nil if the console has not started a server
	port int    // of the own server
}

func webCommands() []command {
	return []command{
		{
			name: "wsport", usage: "wsport [port]", takes: varies, run: wsport,
			help: "Shows or sets the TCP port of the web service.",
		},
		{
			name: "wsstart", usage: "wsstart", takes: 0, run: wsstart,
			help: "Serves the web application to browsers on this machine, and prints the link or the address to log in. It ends with the console; sledge web runs without one.",
		},
		{
			name: "wsstatus", usage: "wsstatus", takes: 0, run: wsstatus,
			help: "Shows whether a web service of this job repository runs on the port, and its address.",
		},
		{
			name: "wsstop", usage: "wsstop", takes: 0, run: wsstop,
			help: "Ends the web service, even if another console or sledge web started it with the same job repository. Stops the jobs that browsers started in it.",
		},
	}
}

const webSection, webPort = "webservice", "ws_port"

// WebPort returns the TCP port for the web service.
func (c *Console) WebPort() int {
	port, err := strconv.Atoi(c.book.Generic(webSection, webPort))
	if err != nil {
		panic(err) // the settings allow only numbers
	}
	return port
}

func wsport(c *Console, _ context.Context, call Call) (string, error) {
	switch len(call.Args) {
	case 0:
		c.out.printf("Web Service Port set to %d", c.WebPort())
		return "", nil
	case 1:
	default:
		return "", fail("Usage: wsport [port]")
	}
	port, err := strconv.Atoi(call.Args[0])
	if err != nil {
		return "", fail("Error: Web Service port should be an integer")
	}
	if err := c.setGeneric(webSection, webPort, strconv.Itoa(port)); err != nil {
		return "", fail("Error: %v", err)
	}
	c.out.printf("Setting Web Service port to %d", port)
	return "", nil
}

// errNoWeb is the error of consoles that cannot serve, such as a console in a browser.
var errNoWeb = errors.New("this console has no web service")

// findWeb finds this console's own server, or the one on the port.
func (c *Console) findWeb() (found Web, port int, err error) {
	port = c.WebPort()
	if c.FindWeb == nil {
		return nil, port, errNoWeb
	}
	path, _ := c.Repository()
	if c.web.own != nil {
		if found, err = c.FindWeb(path, c.web.port); err == nil {
			return found, c.web.port, nil
		}
	}
	found, err = c.FindWeb(path, port)
	return found, port, err
}

func wsstart(c *Console, _ context.Context, _ Call) (string, error) {
	if c.StartWeb == nil {
		return "", fail("Error: Web Service: %v", errNoWeb)
	}
	if _, port, err := c.findWeb(); err == nil {
		return "", fail("Error: Web Service already running on port %d, call wsstop to stop", port)
	}
	if err := c.closeWeb(); err != nil { // an own server that another process has ended
		return "", err
	}
	path, _ := c.Repository()
	port := c.WebPort()
	own, err := c.StartWeb(path, port)
	if err != nil {
		return "", fail("Error: Web Service on port %d: %v", port, err)
	}
	c.web = web{own, port}
	c.out.printf("Starting HammerDB Web Service on port %d", port)
	address, logsIn := own.Link()
	if logsIn {
		c.out.printWhole("Open this link, which logs you in once: " + address)
		return "", nil
	}
	c.out.printWhole("Open this address, and log in as a user: " + address)
	return "", nil
}

func wsstatus(c *Console, ctx context.Context, _ Call) (string, error) {
	found, _, err := c.findWeb()
	if err == nil {
		var text string
		if text, err = found.Environment(ctx); err == nil {
			c.out.print("Web Service running: " + text)
			return "", nil
		}
	}
	c.out.printf("Web Service not running: %v", err)
	return "", nil
}

func wsstop(c *Console, ctx context.Context, _ Call) (string, error) {
	found, port, err := c.findWeb()
	if err != nil {
		c.out.printf("Web Service not running: %v", err)
		return "", nil
	}
	if c.web.own != nil && c.web.port == port {
		defer c.onInterrupt(c.web.own.Quit)()
		return "", c.closeWeb()
	}
	if err := found.End(ctx); err != nil {
		return "", fail("Error: Web Service on port %d: %v", port, err)
	}
	c.out.printf("Stopping HammerDB Web Service on port %d", port)
	return "", nil
}

// closeWeb ends the server that this console has started, if any, and waits for its end.
func (c *Console) closeWeb() error {
	own := c.web.own
	if own == nil {
		return nil
	}
	c.out.printf("Stopping HammerDB Web Service on port %d", c.web.port)
	c.web = web{}
	own.Quit()
	return own.Wait()
}
