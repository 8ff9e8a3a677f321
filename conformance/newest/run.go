package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// patience bounds one command: fetching and compiling an SDK takes a minute or two.
const patience = 10 * time.Minute

// run runs a program in a folder and returns what it prints; its error says what the program complained of.
func run(folder string, environment []string, input []byte, program string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c := exec.CommandContext(ctx, program, args...)
	c.Dir = folder
	c.Env = append(os.Environ(), environment...)
	c.Stdin = bytes.NewReader(input)
	var out, complaint bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaint
	if err := c.Run(); err != nil {
		const most = 6
		lines := strings.Split(strings.TrimSpace(complaint.String()+out.String()), "\n")
		return nil, fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err,
			strings.Join(lines[:min(len(lines), most)], "\n"))
	}
	return out.Bytes(), nil
}
