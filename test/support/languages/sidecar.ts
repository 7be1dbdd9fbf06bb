// A worker behind the sidecar on a loopback port, and a plain HTTP client for it.
import { onTestFinished } from 'vitest';
import { createParser } from 'eventsource-parser';
import { AgentErrorBody, type AgentErrorDetail } from '#contract/wire/errors.ts';
import { AgentEvent } from '#contract/wire/events.ts';
import type { Entry } from '#sdk/typescript/runtime/log.ts';
import type { Agent } from '#sdk/typescript/authoring/agent.ts';
import { startAgent, type StartOptions } from '#sdk/typescript/runtime/start.ts';
import { startSidecar, type SidecarOptions, type StartedAgent } from '#sdk/typescript/sidecar.ts';

export interface ServedWorker extends StartedAgent {
  url: string;
  log: Entry[];
  post(skill: string, args: unknown, init?: RequestInit): Promise<Response>;
  result(skill: string, args: unknown, init?: RequestInit): Promise<unknown>;
  refusal(skill: string, args: unknown, init?: RequestInit): Promise<AgentErrorDetail & { status: number }>;
  stream(skill: string, args: unknown, init?: RequestInit): AsyncGenerator<AgentEvent>;
}

export async function serveWorker(options: SidecarOptions): Promise<ServedWorker> {
  const log: Entry[] = [];
  return reached(await startSidecar({ onLog: (entry) => void log.push(entry), drainMs: 1000, ...options, listen: { host: '127.0.0.1', port: 0 } }), log);
}

/** The same client for an agent in the runtime's own language. */
export async function serveAgent(agent: Agent, options: StartOptions): Promise<ServedWorker> {
  const log: Entry[] = [];
  return reached(await startAgent(agent, { onLog: (entry) => void log.push(entry), drainMs: 1000, ...options, listen: { host: '127.0.0.1', port: 0 } }), log);
}

function reached(started: StartedAgent, log: Entry[]): ServedWorker {
  onTestFinished(() => started.shutdown());
  const address = started.server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  const url = `http://127.0.0.1:${address.port}`;
  const post: ServedWorker['post'] = (skill, args, init) =>
    fetch(`${url}/invoke/${skill}`, {
      method: 'POST',
      body: JSON.stringify(args),
      ...init,
      headers: { 'content-type': 'application/json', accept: 'application/json', ...(init?.headers as Record<string, string> | undefined) }, // this file's callers give plain objects
    });
  return {
    ...started,
    url,
    log,
    post,
    result: async (skill, args, init) => {
      const response = await post(skill, args, init);
      const body: unknown = await response.json();
      if (!response.ok) throw new Error(`${skill}: ${response.status} ${JSON.stringify(body)}\n${log.map((entry) => JSON.stringify(entry)).join('\n')}`);
      return body;
    },
    refusal: async (skill, args, init) => {
      const response = await post(skill, args, init);
      return { ...AgentErrorBody.parse(await response.json()).detail, status: response.status };
    },
    stream: async function* (skill, args, init) {
      const response = await post(skill, args, { ...init, headers: { accept: 'text/event-stream' } });
      if (!response.body) throw new Error('no body');
      const events: AgentEvent[] = [];
      const parser = createParser({ onEvent: (event) => void events.push(AgentEvent.parse(JSON.parse(event.data))) });
      for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
        parser.feed(chunk);
        yield* events.splice(0);
      }
    },
  };
}
