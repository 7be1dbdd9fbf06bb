// A model server of one's own machine: ollama's OpenAI-compatible API as its servers speak it. It differs
// from a vendor: no key, the role in every piece, a tool's call whole in one piece, reasoning beside the
// text, `stop` as the reason even after a call in older ones.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { z } from 'zod';

const Asked = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
  stream: z.boolean().optional(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).optional(),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).optional(),
});
export type AskedOfOllama = z.infer<typeof Asked> & { authorization: string | undefined };

export interface Ollama {
  /** For `baseUrl`. */
  url: string;
  /** `host:port`, for the local hosts. */
  host: string;
  asked: AskedOfOllama[];
  close(): Promise<void>;
}

export interface OllamaReply {
  text?: string[];
  reasoning?: string;
  tool?: { name: string; arguments: Record<string, unknown> };
  /** Servers before 0.4 said `stop` after a call. */
  reason?: 'stop' | 'tool_calls';
}

/** Serves the models named; `reply` decides each answer. */
export async function startOllama(models: readonly string[], reply: (asked: AskedOfOllama) => OllamaReply, port = 0): Promise<Ollama> {
  const asked: AskedOfOllama[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      if (request.method !== 'POST' || request.url !== '/v1/chat/completions') return void response.writeHead(404).end('404 page not found');
      const body = { ...Asked.parse(await json(request)), authorization: request.headers.authorization };
      asked.push(body);
      if (!models.includes(body.model)) {
        const error = { message: `model "${body.model}" not found, try pulling it first`, type: 'api_error', param: null, code: null };
        return void response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
      }
      stream(response, body, reply(body));
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}/v1`,
    host,
    asked,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function stream(response: ServerResponse, body: AskedOfOllama, { text = [], reasoning, tool, reason = tool ? 'tool_calls' : 'stop' }: OllamaReply): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const common = { id: 'chatcmpl-7', object: 'chat.completion.chunk', created: 1_795_000_000, model: body.model, system_fingerprint: 'fp_ollama' };
  const send = (more: object) => response.write(`data: ${JSON.stringify({ ...common, ...more })}\n\n`);
  const piece = (delta: object, finish_reason: string | null = null) =>
    send({ choices: [{ index: 0, delta: { role: 'assistant', content: '', ...delta }, finish_reason }] });
  if (reasoning !== undefined) piece({ reasoning });
  for (const content of text) piece({ content });
  if (tool) piece({ tool_calls: [{ id: 'call_8a1b', index: 0, type: 'function', function: { name: tool.name, arguments: JSON.stringify(tool.arguments) } }] });
  piece({}, reason);
  if (body.stream_options?.include_usage) send({ choices: [], usage: { prompt_tokens: 26, completion_tokens: 8, total_tokens: 34 } });
  response.end('data: [DONE]\n\n');
}
