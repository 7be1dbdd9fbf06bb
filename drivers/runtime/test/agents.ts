// What suites and benchmarks ask of any runtime driver's agents: a project to build, an instance to start, a
// call through its socket.
import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { create } from 'tar';
import { type AgentAddress, requestTo } from '../../agent-http/address.ts';
import { parseJson } from '../lines.ts';
import type { AgentRuntime, StartInput } from '../port.ts';

export const uniqueId = (kind: string): string => `${kind}${randomBytes(6).toString('hex')}`;

/** A project's folder as the gzipped tar that a build takes. */
export const sourceOf = (dir: string): Readable =>
  asReadable(create({ cwd: dir, gzip: true, portable: true, filter: (path) => !path.includes('node_modules') }, ['.']));
/** tar's streams are minipass streams, which are async iterable and pipe as Node's do. */
const asReadable = (stream: unknown): Readable => stream as Readable;

/** An agent with a skill for each thing that a runtime does: `agent:Prober`. */
export const proberSource = (): Readable => sourceOf(join(import.meta.dirname, 'templates/prober'));

export function startInput(image: string, change: Partial<StartInput> = {}): StartInput {
  return {
    instance_id: uniqueId('i'),
    agent: 'prober',
    deployment_id: uniqueId('d'),
    image,
    env: { GREETING: 'hi' },
    secrets: { TOKEN: 'the-secret-value' },
    api_key: 'the-api-key',
    grant_key: Buffer.alloc(32, 7).toString('base64url'),
    resources: { memory_mib: 256, cpu_millis: 1_000 },
    egress: { allow_hosts: [], allow_internal_services: [] },
    ...change,
  };
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: unknown;
  text: string;
  /** Milliseconds from the request to the first byte of the body. */
  firstByteMs: number;
}

export function callAgent(address: AgentAddress, path: string, body?: unknown, apiKey = 'the-api-key', more: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    let firstByteMs = 0;
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...more };
    const outgoing = requestTo(address, { path, method: body === undefined ? 'GET' : 'POST', headers, agent: false }, (incoming) => {
      let text = '';
      incoming.on('data', (chunk) => {
        firstByteMs ||= performance.now() - began;
        text += String(chunk);
      });
      incoming.on('error', reject);
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: parseJson(text), text, firstByteMs }));
    });
    outgoing.on('error', reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

export const invoke = async (runtime: AgentRuntime, id: string, skill: string, args: unknown = {}): Promise<Answer> =>
  callAgent(runtime.address(id), `/invoke/${skill}`, args);

/** What came so far of a run's events; the stream stays open. */
export function openEvents(address: AgentAddress, path: string, more: Record<string, string>): { text: string } {
  const heard = { text: '' };
  const headers = { authorization: 'Bearer the-api-key', 'content-type': 'application/json', accept: 'text/event-stream', ...more };
  const outgoing = requestTo(address, { path, method: 'POST', headers, agent: false }, (incoming) => {
    incoming.on('data', (chunk) => (heard.text += String(chunk)));
    incoming.on('error', () => undefined);
  });
  outgoing.on('error', () => undefined);
  outgoing.end('{}');
  return heard;
}

/** Throws while nothing is asked. */
export function questionIn(events: string): string {
  const [found] = /qst_[\w-]+/.exec(events) ?? [];
  if (found === undefined) throw new Error('nothing is asked yet');
  return found;
}
