//go:build js

// The explorer's engine in a Web Worker: it answers stampedeCall(op, arguments) with {ok, json, buffers}.
package main

import (
	"runtime/debug"
	"syscall/js"

	"stampede/explore/engine"
)

func main() {
	debug.SetGCPercent(400)        // the live heap is small, and a run allocates much
	debug.SetMemoryLimit(10 << 20) // WebAssembly gives no memory back: from here on, collect before it grows
	var session engine.Session
	js.Global().Set("stampedeCall", js.FuncOf(func(_ js.Value, args []js.Value) any {
		reply, ok := session.Call(args[0].String(), []byte(args[1].String()))
		buffers := map[string]any{}
		for name, data := range reply.Buffers {
			array := js.Global().Get("Uint8Array").New(len(data))
			js.CopyBytesToJS(array, data)
			buffers[name] = array.Get("buffer")
		}
		return map[string]any{"ok": ok, "json": string(reply.JSON), "buffers": buffers}
	}))
	js.Global().Call("stampedeReady")
	select {} // calls come in from JavaScript
}
