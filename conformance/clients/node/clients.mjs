// The clients of npm packages, each with its defaults, by the name of its preset. A client is a function that asks
// once. Old versions bring a fetch of their own, so it is handed to those that take one.
const clients = {
	'openai-node': async () => {
		const { default: OpenAI } = await import('openai');
		const client = new OpenAI({ apiKey: 'k', fetch: globalThis.fetch });
		return () => client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'hello' }] });
	},
	'groq-node': async () => {
		const { default: Groq } = await import('groq-sdk');
		const client = new Groq({ apiKey: 'k', fetch: globalThis.fetch });
		return () => client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'hello' }] });
	},
	'anthropic-typescript': async () => {
		const { default: Anthropic } = await import('@anthropic-ai/sdk');
		const client = new Anthropic({ apiKey: 'k', fetch: globalThis.fetch });
		const messages = [{ role: 'user', content: 'hello' }];
		return () => client.messages.create({ model: 'm', max_tokens: 100, messages });
	},
	'google-genai-js': () => google({}),
	'google-genai-js-retrying': () => google({ retryOptions: {} }),
	'vercel-ai': async () => {
		const { generateText } = await import('ai');
		const { createOpenAI } = await import('@ai-sdk/openai');
		const model = createOpenAI({ apiKey: 'k' }).chat('m');
		return () => generateText({ model, prompt: 'hello' });
	},
	'cohere-js': async () => {
		const { CohereClientV2 } = await import('cohere-ai');
		const client = new CohereClientV2({ token: 'k' });
		return () => client.chat({ model: 'm', messages: [{ role: 'user', content: 'hello' }] });
	},
	'mistral-js-retrying': async () => {
		const { Mistral } = await import('@mistralai/mistralai');
		const client = new Mistral({ apiKey: 'k', retryConfig: { strategy: 'backoff', retryConnectionErrors: true } });
		return () => client.chat.complete({ model: 'm', messages: [{ role: 'user', content: 'hello' }] });
	},
	'langchain-js': async () => {
		const { ChatOpenAI } = await import('@langchain/openai');
		const model = new ChatOpenAI({ apiKey: 'k', model: 'm' });
		return () => model.invoke('hello');
	},
};

async function google(httpOptions) {
	const { GoogleGenAI } = await import('@google/genai');
	const client = new GoogleGenAI({ apiKey: 'k', httpOptions });
	return () => client.models.generateContent({ model: 'm', contents: 'hello' });
}

export function open(name) {
	return clients[name]();
}
