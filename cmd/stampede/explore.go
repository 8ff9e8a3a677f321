package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"stampede/explore"
)

func exploreCommand() *cli.Command {
	return &cli.Command{
		Name:      "explore",
		Usage:     "serve a web page that shows scenarios as running pictures, with sliders",
		ArgsUsage: "[SCENARIO]",
		Description: "The page runs the same engine as the other commands, in the browser. SCENARIO is a file, or - " +
			"for standard input, which the page opens in its editor; without it the page opens on its first scene. " +
			"The page is served on this machine only, until an interrupt (Ctrl-C).",
		UsageText: examples(
			example{"Serve the page; the address is printed.", "stampede explore"},
			example{"Write the page with a scenario to a folder, for any static web host.",
				"stampede explore my.yaml --set policy.gate.semaphore=8 --out my-site"},
		),
		Flags: []cli.Flag{
			setFlag(),
			&cli.StringFlag{Name: "out", Usage: "write the page to `FOLDER` as a static site, and do not serve it"},
			&cli.IntFlag{Name: "port", Usage: "serve on port `N`", DefaultText: "a free one"},
		},
		Action: runExplore,
	}
}

func runExplore(c *cli.Context) error {
	site := explore.Site{Version: version()}
	if c.NArg() > 0 || c.IsSet("set") {
		var err error
		if site.Given, err = givenScenario(c); err != nil {
			return err
		}
	}
	port := c.Int("port")
	if port < 0 || port > 65535 {
		return usage("--port: found %d; want 1 to 65535, or 0 for a free one", port)
	}
	dir := c.String("out")
	switch {
	case dir == "":
	case c.IsSet("port"):
		return usage("--port: the page is written with --out, not served; leave out one of the two")
	default:
		if err := wantEmpty("--out", dir); err != nil {
			return err
		}
	}
	if err := explore.CheckEngine(); err != nil {
		return err
	}
	if dir == "" {
		return serve(c, site, port)
	}
	if err := site.Write(dir); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return wrote(c.App.ErrWriter, "%s: a static site. Put the folder on a web host, or look at it with: "+
		"python3 -m http.server --directory %s", dir, dir)
}

// givenScenario is the document that the page opens: the text of the scenario, or, where there are settings,
// the text that they make of it.
func givenScenario(c *cli.Context) ([]byte, error) {
	t, err := readTemplate(c)
	if err != nil {
		return nil, err
	}
	if files := t.Base.Files; len(files) > 0 {
		for i := range files {
			files[i] = filepath.Base(files[i])
		}
		return nil, usage("explore: the scenario reads %s, and the page reads no files; use stampede run",
			strings.Join(files, ", "))
	}
	sayLeftOut(c, t)
	if !c.IsSet("set") {
		return t.Text(), nil
	}
	return t.Document()
}

// serve serves the site on the loopback interface until the command is interrupted.
func serve(c *cli.Context, site explore.Site, port int) error {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return fmt.Errorf("--port %d: %w; without --port, or with --port 0, a free port is taken", port, err)
	}
	server := &http.Server{Handler: ownHostOnly(site.Handler()), ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(c.Context, func() { server.Close() })()
	fmt.Fprintf(c.App.Writer, "http://%v/\n", listener.Addr())
	fmt.Fprintln(c.App.ErrWriter, "stampede: open this address in a browser; Ctrl-C stops the server")
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// ownHostOnly refuses requests that reach this machine under a name of somebody else: a web page elsewhere
// could otherwise give its own name this address, and read a scenario that is nobody else's business.
func ownHostOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		_, err := netip.ParseAddr(strings.Trim(host, "[]"))
		if err != nil && host != "localhost" && !strings.HasSuffix(host, ".localhost") {
			http.Error(w, "403 the explorer answers at 127.0.0.1 and localhost only", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
