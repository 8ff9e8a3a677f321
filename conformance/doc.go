// Package conformance holds real SDKs and libraries against Stampede's presets, in
// virtual time. It is a module of its own, so that what it needs never enters the
// product.
package conformance
