package engine

import (
	"bytes"
	"image/gif"
	"os"
	"strings"
	"testing"

	"stampede/explore/animation"
	"stampede/scenario"
)

// A GIF of three times 300 calls in 15 s at 12 frames a second is below 3 MB.
func TestAnimationOfAHerdIsSmall(t *testing.T) {
	herd, err := os.ReadFile("../../examples/herd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	a := arguments{Title: "The herd", Width: 960, FPS: 12, Seconds: 15}
	for _, jitter := range []string{"none", "equal", "full"} {
		a.Policies = append(a.Policies, shown{jitter, string(herd), []string{
			"policy.retry.backoff.exponential.jitter=" + jitter, "workload.burst.calls=300",
		}})
	}
	var session Session
	_, buffers := ask[struct{}](t, &session, "animate", a)
	g, err := gif.DecodeAll(bytes.NewReader(buffers["gif"]))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", len(buffers["gif"]))
	if n := len(buffers["gif"]); len(g.Image) != 181 || n > 3<<20 {
		t.Errorf("%d frames in %d bytes; want 181 in at most 3 MB", len(g.Image), n)
	}
}

// The call draws what the library draws of the same scenarios.
func TestAnimateIsTheLibrarys(t *testing.T) {
	a := arguments{
		Title: "Forty", Width: 640, FPS: 2, Seconds: 2, Dark: true, Replication: 1,
		Policies: []shown{{"as it is", document, nil}, {"seed 9", document, []string{"seed=9"}}},
	}
	var policies []animation.Policy
	for _, p := range a.Policies {
		s, err := scenario.Read([]byte(document), "test", scenario.Options{Set: p.Set})
		if err != nil {
			t.Fatal(err)
		}
		policy, err := Animated(p.Name, s, 1)
		if err != nil {
			t.Fatal(err)
		}
		policies = append(policies, policy)
	}
	var want bytes.Buffer
	o := animation.Options{Title: "Forty", Width: 640, FPS: 2, Seconds: 2, Dark: true}
	if err := animation.Write(t.Context(), &want, policies, o); err != nil {
		t.Fatal(err)
	}
	if _, buffers := ask[struct{}](t, &Session{}, "animate", a); !bytes.Equal(buffers["gif"], want.Bytes()) {
		t.Error("the page's picture differs from the library's")
	}
}

func TestAnimateRefuses(t *testing.T) {
	ok := []shown{{"as it is", document, nil}}
	for _, row := range []struct {
		a    arguments
		want string
	}{
		{arguments{Width: 960, FPS: 12}, "policies: found 0; want 1 to 4"},
		{arguments{Width: 10, FPS: 12, Policies: ok}, "width: found 10"},
		{arguments{Width: 960, FPS: 12, Policies: []shown{{"x", document, []string{"seed=x"}}}}, `seed`},
	} {
		var session Session
		reply, accepted := session.Call("animate", marshal(t, row.a))
		if accepted || !strings.Contains(string(reply.JSON), row.want) {
			t.Errorf("%s; want a refusal with %s", reply.JSON, row.want)
		}
	}
}
