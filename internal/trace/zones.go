//go:build !js

package trace

import _ "time/tzdata" // the same zones on every machine
