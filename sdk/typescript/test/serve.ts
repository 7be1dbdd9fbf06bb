// For tests: an agent on a loopback port, and a client that speaks plain HTTP to it.
import { onTestFinished } from 'vitest';
import { createParser } from 'eventsource-parser';
import { AgentErrorBody, type AgentErrorDetail } from '../../../contract/wire/errors.ts';
import { AgentEvent } from '../../../contract/wire/events.ts';
import type { Agent, AgentClass } from '../authoring/agent.ts';
import type { Entry } from '../runtime/log.ts';
import { startAgent, type StartedAgent, type StartOptions } from '../runtime/start.ts';

interface CallInit {
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export interface Served extends StartedAgent {
  url: string;
  log: Entry[];
  post(path: string, body: unknown, init?: CallInit): Promise<Response>;
  /** The refusal of a call. */
  refusal(path: string, body: unknown, init?: CallInit): Promise<{ status: number; headers: Headers; detail: AgentErrorDetail }>;
  stream(path: string, body: unknown, init?: CallInit): AsyncGenerator<AgentEvent & { id: string | undefined }>;
}

export async function serve(source: AgentClass | Agent, options: StartOptions = {}): Promise<Served> {
  const log: Entry[] = [];
  const started = await startAgent(source, { onLog: (entry) => void log.push(entry), drainMs: 1000, ...options, listen: { host: '127.0.0.1', port: 0 } });
  onTestFinished(() => started.shutdown());
  const address = started.server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  const url = `http://127.0.0.1:${address.port}`;
  const post: Served['post'] = (path, body, init) =>
    fetch(url + path, { method: 'POST', body: JSON.stringify(body), ...init, headers: { 'content-type': 'application/json', ...init?.headers } });
  return {
    ...started,
    url,
    log,
    post,
    refusal: async (path, body, init) => {
      const response = await post(path, body, init);
      return { status: response.status, headers: response.headers, detail: AgentErrorBody.parse(await response.json()).detail };
    },
    stream: async function* (path, body, init) {
      const response = await post(path, body, init);
      if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream'))
        throw new Error(`no stream: ${response.status} ${await response.text()}`);
      const events: (AgentEvent & { id: string | undefined })[] = [];
      const parser = createParser({ onEvent: (event) => void events.push({ ...AgentEvent.parse(JSON.parse(event.data)), id: event.id }) });
      for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
        parser.feed(chunk);
        yield* events.splice(0);
      }
    },
  };
}

export async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  return await Array.fromAsync(source);
}
