// A model vendor on this machine: speaks both wires as they are documented, and misbehaves on request.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { z } from 'zod';

export interface Vendor {
  /** For `baseUrl`. */
  url: string;
  /** `host:port`, for the local hosts. */
  host: string;
  /** What was asked, oldest first. */
  asked: { path: string; headers: IncomingMessage['headers']; body: z.infer<typeof Body> }[];
  /** Connections that were closed by the caller before the answer's end. */
  left: number;
  /** Taken by the next requests, one each; after that it answers well. */
  next: Behaviour[];
  /**
   * Called by whoever has read what came before a `reset`: data that is not read when a connection is reset
   * may be lost.
   */
  reset: () => void;
  close(): Promise<void>;
}

export type Behaviour =
  | { text: string[]; count?: boolean }
  | { tool: { name: string; arguments: string[] } }
  | { status: number; body: string; headers?: Record<string, string> }
  /** `after`: in the middle of an answer. */
  | { breaks: 'reset' | 'ends' | 'junk' | 'error' | 'silent' | 'endless'; after?: string }
  | { redirect: string }
  | { never: true };

const Body = z.looseObject({ model: z.string(), messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })) });

export const ANSWER = ['Hel', 'lo, ', 'world'];

export async function startVendor(): Promise<Vendor> {
  const server = createServer((request, response) => void answer(vendor, request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const vendor: Vendor = {
    url: `http://127.0.0.1:${port}/v1`,
    host: `127.0.0.1:${port}`,
    asked: [],
    left: 0,
    next: [],
    reset: () => undefined,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return vendor;
}

async function answer(vendor: Vendor, request: IncomingMessage, response: ServerResponse): Promise<void> {
  vendor.asked.push({ path: request.url ?? '', headers: request.headers, body: Body.parse(await json(request)) });
  response.on('close', () => void (vendor.left += response.writableFinished ? 0 : 1));
  const behaviour = vendor.next.shift() ?? { text: ANSWER };
  if ('never' in behaviour) return;
  if ('redirect' in behaviour) return void response.writeHead(307, { location: behaviour.redirect }).end();
  if ('status' in behaviour) return void response.writeHead(behaviour.status, { 'content-type': 'application/json', ...behaviour.headers }).end(behaviour.body);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const wire = request.url?.endsWith('/messages') ? messages(response) : completions(response);
  wire.begin();
  if ('breaks' in behaviour) {
    if (behaviour.after !== undefined) wire.text(behaviour.after);
    if (behaviour.breaks === 'reset') {
      const reset = (): void => void response.socket?.resetAndDestroy();
      if (behaviour.after === undefined) return reset();
      return void (vendor.reset = reset);
    }
    return broken(behaviour.breaks, wire, response);
  }
  if ('tool' in behaviour) wire.tool(behaviour.tool);
  else for (const piece of behaviour.text) wire.text(piece);
  wire.end('tool' in behaviour, !('count' in behaviour && behaviour.count === false));
}

interface Wire {
  begin(): void;
  text(piece: string): void;
  tool(call: { name: string; arguments: string[] }): void;
  error(): void;
  end(tool: boolean, count: boolean): void;
}

async function broken(how: string, wire: Wire, response: ServerResponse): Promise<void> {
  if (how === 'silent') return;
  if (how === 'junk') response.write('data: {"choices": [{"delta": {"content": 7\n\ndata: <html>\n\n');
  if (how === 'error') wire.error();
  if (how === 'endless') {
    // As long as somebody reads.
    while (!response.destroyed)
      if (!response.write(`data: ${'x'.repeat(60_000)}`)) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
    return;
  }
  response.end();
}

/** OpenAI's chat completions. */
function completions(response: ServerResponse): Wire {
  const chunk = (choices: unknown[], more: object = {}) =>
    response.write(`data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...more })}\n\n`);
  const delta = (content: object, finish_reason: string | null = null) => chunk([{ index: 0, delta: content, finish_reason }]);
  return {
    begin: () => delta({ role: 'assistant', content: '' }),
    text: (content) => delta({ content }),
    tool: (call) => {
      delta({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: call.name, arguments: '' } }] });
      for (const piece of call.arguments) delta({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
    },
    error: () => response.write(`data: ${JSON.stringify({ error: { message: 'The server had an error', type: 'server_error' } })}\n\n`),
    end: (tool, count) => {
      delta({}, tool ? 'tool_calls' : 'stop');
      if (count) chunk([], { usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120, prompt_tokens_details: { cached_tokens: 40 } } });
      response.end('data: [DONE]\n\n');
    },
  };
}

/** Anthropic's messages. */
function messages(response: ServerResponse): Wire {
  const event = (type: string, data: object = {}) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  let open = false;
  const begin = (content_block: object) => {
    if (!open) event('content_block_start', { index: 0, content_block });
    open = true;
  };
  return {
    begin: () => {
      const usage = { input_tokens: 60, cache_read_input_tokens: 40, cache_creation_input_tokens: 0, output_tokens: 1 };
      event('message_start', {
        message: { id: 'm1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, stop_sequence: null, usage },
      });
      event('ping');
    },
    text: (text) => {
      begin({ type: 'text', text: '' });
      event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } });
    },
    tool: (call) => {
      begin({ type: 'tool_use', id: 'call_1', name: call.name, input: {} });
      for (const partial_json of call.arguments) event('content_block_delta', { index: 0, delta: { type: 'input_json_delta', partial_json } });
    },
    error: () => event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
    end: (tool) => {
      if (open) event('content_block_stop', { index: 0 });
      event('message_delta', { delta: { stop_reason: tool ? 'tool_use' : 'end_turn', stop_sequence: null }, usage: { output_tokens: 20 } });
      event('message_stop');
      response.end();
    },
  };
}
