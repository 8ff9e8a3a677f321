//go:build js

// The explorer's engine in a Web Worker: it answers stampedeCall(op, arguments) with {ok, result, buffers}.
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
		answer, ok := session.Answer(args[0].String(), valueOf(args[1]))
		buffers := map[string]any{}
		for name, data := range answer.Buffers {
			array := js.Global().Get("Uint8Array").New(len(data))
			js.CopyBytesToJS(array, data)
			buffers[name] = array.Get("buffer")
		}
		return map[string]any{"ok": ok, "result": answer.Value, "buffers": buffers}
	}))
	js.Global().Call("stampedeReady")
	select {} // calls come in from JavaScript
}

// valueOf is the inverse of js.ValueOf for what JSON can say; anything else is nil.
func valueOf(v js.Value) any {
	switch v.Type() {
	case js.TypeBoolean:
		return v.Bool()
	case js.TypeNumber:
		return v.Float()
	case js.TypeString:
		return v.String()
	case js.TypeObject:
		if v.InstanceOf(js.Global().Get("Array")) {
			list := make([]any, v.Length())
			for i := range list {
				list[i] = valueOf(v.Index(i))
			}
			return list
		}
		fields := map[string]any{}
		keys := js.Global().Get("Object").Call("keys", v)
		for i := range keys.Length() {
			name := keys.Index(i).String()
			fields[name] = valueOf(v.Get(name))
		}
		return fields
	}
	return nil
}
