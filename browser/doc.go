// Package browser tests the page of the explorer in a real Chromium. It is a module of its own,
// so that what drives the browser never enters the product. Without a Chromium its tests are
// skipped.
package browser
