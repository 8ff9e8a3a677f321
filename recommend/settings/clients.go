package settings

import "stampede/policy"

// clients are those that settings are printed for: a new one is a row, its template and a golden file.
// Where a source was read is said in Source; what the client does with its settings stands in its preset.
var clients = concat(pythonClients, javaScriptClients, goClients, otherClients)

func concat(lists ...[]Client) (all []Client) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// Fields that whole families set.
var (
	// httpxFields are those of SDKs on httpx: its read timeout is one of silence, its pool a gate.
	httpxFields = plus(poolFields, attemptsPath, connectPath, writePath, gapPath, callPath)
	// poolFields are those of a pool of httpx: it bounds attempts, and its timeout what waits for a connection.
	poolFields = []string{gatePath, gateWaitPath, poolPath, poolWaitPath}
	// fetchFields are those of SDKs on fetch, with a gate around it.
	fetchFields = []string{attemptsPath, callPath, gatePath}
	// loopFields are those of a loop of one's own.
	loopFields = []string{
		attemptsPath, deadlinePath, retryOnPath, "policy.retry.x_should_retry", hintPath, basePath, factorPath,
		capPath, minPath, jitterPath, callPath, gatePath,
	}
	// partFields are those of an exponential backoff.
	partFields = []string{basePath, factorPath, capPath, jitterPath}
)

// simpleJitters are those that a function of the retry's number and a uniform number can make.
var simpleJitters = []policy.Jitter{
	policy.NoJitter, policy.Equal, policy.Full, policy.MinusShare, policy.PlusSpan, policy.Around, policy.Stretch,
	policy.PlusBeyond, policy.PlusGrowing,
}

func plus(fields []string, more ...string) []string {
	return append(fields[:len(fields):len(fields)], more...)
}

// Fields that stand for others.
var (
	gapInstead = map[string]string{
		attemptPath: gapPath, firstBytePath: gapPath, deadlinePath: callPath, callDeadlinePath: callPath,
	}
	attemptInstead = map[string]string{
		gapPath: attemptPath, firstBytePath: attemptPath, deadlinePath: callPath, callDeadlinePath: callPath,
	}
	firstByteInstead = map[string]string{
		gapPath: firstBytePath, attemptPath: firstBytePath, deadlinePath: callPath, callDeadlinePath: callPath,
	}
	callInstead = map[string]string{deadlinePath: callPath, callDeadlinePath: callPath}
)
