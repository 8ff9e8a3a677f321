package trace

import (
	"slices"
	"time"
)

// format is a known shape of file. Columns of a field are alternatives, of which a file has the first.
type format struct {
	name    string
	has     []string // columns that tell it; for JSON from the top of the document
	rowsAt  []string // paths to the arrays of rows; none: each object is a row
	arrays  bool     // an array for each column
	columns [Fields][]string
	unit    time.Duration
	noTime  string   // what to do when no times are there
	only    []rule   // rows that are calls
	success []string // values of the status; nil means those of isSuccess
	tries   bool     // a row is an attempt, and a call that is retried has several
	late    bool     // rows of failures have the time at which they failed
	// Of some the cached tokens are not part of the prompt, and reasoning not of the output.
	cachedApart, reasoningApart bool
}

// rule is values of a column that rows have, or do not have, that are calls. It holds for files with
// the column, and otherwise only where no rule before it does.
type rule struct {
	column    string
	not       bool
	values    []string
	otherwise bool
}

// formats are tried in this order.
var formats = []*format{
	{
		// Azure/AzurePublicDataset: 2023, 2024, and 2025 with images.
		name: "azure", has: []string{"TIMESTAMP", "ContextTokens", "GeneratedTokens"},
		columns: [Fields][]string{Time: {"TIMESTAMP"}, Prompt: {"ContextTokens"}, Output: {"GeneratedTokens"}},
	},
	{
		// HPMLL/BurstGPT at e92f533: seconds since midnight of the first day; failed requests have 0
		// response tokens.
		name: "burstgpt", has: []string{"Timestamp", "Request tokens", "Response tokens"},
		columns: [Fields][]string{Time: {"Timestamp"}, Prompt: {"Request tokens"}, Output: {"Response tokens"},
			Model: {"Model"}, Session: {"Session ID"}},
		unit: time.Second,
	},
	{
		// alibaba-edu/qwen-bailian-usagetraces-anon: names of Mooncake, but seconds.
		name: "qwen", has: []string{"chat_id", "timestamp", "input_length", "output_length"},
		columns: [Fields][]string{Time: {"timestamp"}, Prompt: {"input_length"}, Output: {"output_length"}},
		unit:    time.Second,
	},
	{
		// kvcache-ai/Mooncake at 3b5a594.
		name: "mooncake", has: []string{"timestamp", "input_length", "output_length"},
		columns: [Fields][]string{Time: {"timestamp"}, Prompt: {"input_length"}, Output: {"output_length"},
			Session: {"session_id"}, Model: {"model"}, Priority: {"priority"}},
		unit: time.Millisecond,
	},
	{
		// microsoft/vidur, arXiv 2405.05465.
		name: "vidur", has: []string{"arrived_at", "num_prefill_tokens", "num_decode_tokens"},
		columns: [Fields][]string{Time: {"arrived_at"}, Prompt: {"num_prefill_tokens"},
			Output: {"num_decode_tokens"}},
		unit: time.Second,
	},
	{
		// inference-sim/inference-sim, TraceV2.
		name: "blis", has: []string{"arrival_time_us", "input_tokens", "output_tokens"},
		columns: [Fields][]string{Time: {"arrival_time_us"}, Prompt: {"input_tokens"}, Output: {"output_tokens"},
			Model: {"model"}, Session: {"session_id"}, Status: {"status"}},
		unit: time.Microsecond,
	},
	{
		// BerriAI/litellm, table LiteLLM_SpendLogs. An answer from its own cache met no provider.
		name: "litellm_spend", late: true, has: []string{"request_id", "startTime", "completion_tokens", "spend"},
		columns: [Fields][]string{
			Time: {"startTime"}, Prompt: {"prompt_tokens"}, Output: {"completion_tokens"},
			Cached: {"metadata.usage_object.prompt_tokens_details.cached_tokens"},
			Model:  {"model"}, Key: {"api_key"}, Session: {"session_id"}, Status: {"status"},
		},
		only: []rule{{column: "cache_hit", not: true, values: []string{"True", "true"}}},
	},
	{
		// Activity export of openrouter.ai, 2026; newest first.
		name: "openrouter_activity", has: []string{"generation_id", "created_at", "tokens_prompt", "tokens_completion"},
		columns: [Fields][]string{
			Time: {"created_at"}, Prompt: {"tokens_prompt"}, Output: {"tokens_completion"},
			Cached: {"tokens_cached"}, Reasoning: {"tokens_reasoning"},
			Model: {"model_permaslug"}, Key: {"api_key_name"}, Status: {"cancelled"},
		},
		success: []string{"false", "False"},
	},
	{
		// langfuse/langfuse, export of observations. Each kind of token is counted apart.
		name: "langfuse", has: []string{"traceId", "startTime", "level"},
		columns: [Fields][]string{
			Time: {"startTime"}, Prompt: {"usageDetails.input", "usage.input", "promptTokens"},
			Output:    {"usageDetails.output", "usage.output", "completionTokens"},
			MaxTokens: {"modelParameters.max_tokens", "modelParameters.max_completion_tokens"},
			Cached:    {"usageDetails.input_cached_tokens", "usageDetails.cache_read_input_tokens"},
			Reasoning: {"usageDetails.output_reasoning_tokens", "usageDetails.output_reasoning"},
			Model:     {"model"}, Session: {"sessionId", "traceId"}, Key: {"userId"}, Status: {"level"},
		},
		only:        []rule{{column: "type", values: []string{"GENERATION"}}},
		success:     []string{"DEFAULT", "DEBUG", "WARNING"},
		cachedApart: true, reasoningApart: true,
	},
	{
		// Helicone/helicone, HeliconeRequest.
		name: "helicone", tries: true, has: []string{"request_created_at", "prompt_tokens", "completion_tokens"},
		columns: [Fields][]string{
			Time: {"request_created_at"}, Prompt: {"prompt_tokens"}, Output: {"completion_tokens"},
			Cached: {"prompt_cache_read_tokens"},
			Model:  {"request_model", "response_model"}, Key: {"request_user_id"}, Status: {"response_status"},
		},
	},
	{
		// vllm bench serve --save-detailed, and SGLang's bench_serving --output-details.
		name: "vllm_bench", has: []string{"input_lens", "output_lens"}, arrays: true,
		columns: [Fields][]string{Time: {"start_times"}, Prompt: {"input_lens"}, Output: {"output_lens"},
			Status: {"errors"}},
		unit:   time.Second,
		noTime: "newer versions write start_times with --save-detailed; ",
	},
	{
		// vllm-project/guidellm at ee7a774, src/guidellm/schemas; before 0.4 the times stood in the row.
		name: "guidellm", has: []string{"benchmarks.requests.successful"},
		rowsAt: []string{"benchmarks.requests.successful", "benchmarks.requests.incomplete",
			"benchmarks.requests.errored"},
		columns: [Fields][]string{
			Time:   {"info.timings.request_start", "info.timings.resolve_start", "request_start_time", "start_time"},
			Prompt: {"input_metrics.total_tokens", "input_metrics.text_tokens", "prompt_tokens"},
			Output: {"output_metrics.total_tokens", "output_metrics.text_tokens", "output_tokens"},
			Status: {"info.status"},
		},
		unit: time.Second,
	},
	{
		// ai-dynamo/aiperf, profile_export.jsonl.
		name: "aiperf", tries: true, has: []string{"metadata.request_start_ns", "metadata.benchmark_phase"},
		columns: [Fields][]string{
			Time:      {"metadata.request_start_ns"},
			Prompt:    {"metrics.input_sequence_length.value"},
			Output:    {"metrics.output_sequence_length.value"},
			Reasoning: {"metrics.reasoning_token_count.value"},
			Session:   {"metadata.x_correlation_id"}, Status: {"error.code"},
		},
		unit: time.Nanosecond,
		only: []rule{{column: "metadata.benchmark_phase", not: true, values: []string{"warmup"}}},
	},
	{
		// open-telemetry/opentelemetry-proto, JSON, with the GenAI conventions, of which older ones count
		// prompt_tokens and completion_tokens. Other spans, such as those of HTTP, are no calls.
		name: "otlp", has: []string{"resourceSpans.scopeSpans.spans.startTimeUnixNano"},
		rowsAt: []string{"resourceSpans.scopeSpans.spans"},
		columns: [Fields][]string{
			Time:      {"startTimeUnixNano"},
			Prompt:    {"attributes.gen_ai.usage.input_tokens", "attributes.gen_ai.usage.prompt_tokens"},
			Output:    {"attributes.gen_ai.usage.output_tokens", "attributes.gen_ai.usage.completion_tokens"},
			MaxTokens: {"attributes.gen_ai.request.max_tokens"},
			Cached:    {"attributes.gen_ai.usage.cache_read.input_tokens"},
			Reasoning: {"attributes.gen_ai.usage.reasoning.output_tokens"},
			Model:     {"attributes.gen_ai.request.model", "attributes.gen_ai.response.model"},
			Session:   {"attributes.gen_ai.conversation.id"}, Status: {"attributes.error.type"},
		},
		unit: time.Nanosecond,
		only: []rule{{column: "attributes.gen_ai.operation.name",
			values: []string{"chat", "text_completion", "generate_content"}},
			{column: "attributes.gen_ai.system", not: true, values: []string{""}, otherwise: true}},
	},
}

// Formats lists the known shapes of files.
func Formats() (names []string) {
	for _, f := range formats {
		names = append(names, f.name)
	}
	slices.Sort(names)
	return names
}

func formatNamed(name string) *format {
	for _, f := range formats {
		if f.name == name {
			return f
		}
	}
	return nil
}

// recognised is the first format whose columns are all there.
func recognised(names []string) *format {
	for _, f := range formats {
		all := true
		for _, want := range f.has {
			all = all && hasPath(names, want)
		}
		if all {
			return f
		}
	}
	return nil
}

// hasPath says whether a column, or what is around one, is there.
func hasPath(names []string, path string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return name == path || len(name) > len(path) && name[:len(path)] == path && name[len(path)] == '.'
	})
}
