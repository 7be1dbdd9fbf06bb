// The runtime port spoken over the host's unix socket. Cancelling a call ends its connection, which the host
// takes as cancel.
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { lineSplitter, parseJson } from './lines.ts';
import { RuntimeError, type AgentRuntime, type BuildOutput, type LogLine } from './port.ts';
import { BuildResult, CurrentVersion, Denials, ErrorBody, KeepResult, Questions, StartResult, Status, StoredLine, StreamLine } from './wire.ts';

export interface HostRuntimeOptions {
  /** The host's control socket, `<state>/run/host.sock`. */
  socketPath: string;
  /** Folder of the instances; default `<state>/vm`, beside the socket's folder. */
  instancesDir?: string;
}

type OnLog = (line: Omit<LogLine, 'seq'>) => void;
interface Call {
  method: 'GET' | 'POST';
  path: string;
  body?: unknown;
  stream?: Readable;
  signal?: AbortSignal;
}

export function hostRuntime(options: HostRuntimeOptions): AgentRuntime {
  const instancesDir = options.instancesDir ?? join(options.socketPath, '../../vm');
  const of = (id: string, verb: string): string => `/instances/${encodeURIComponent(id)}/${verb}`;
  const json = async <T>(call: Call, shape: z.ZodType<T>): Promise<T> => shape.parse(parseJson(await text(await send(options.socketPath, call))));
  const nothing = z.unknown();

  return {
    async build({ build_id, tenant, source, language, language_version, entrypoint, frontend, service, checks }, onLog, signal) {
      const more = {
        ...(language_version && { language_version }),
        ...(frontend && { frontend: JSON.stringify(frontend) }),
        ...(service && { service: JSON.stringify(service) }),
        ...(checks && { checks }),
      };
      const query = new URLSearchParams({ tenant, language, entrypoint, ...more });
      const path = `/builds/${encodeURIComponent(build_id)}?${query}`;
      return asOutput(await follow(options.socketPath, { method: 'POST', path, stream: source, signal }, onLog));
    },
    async start(input, onLog, signal) {
      const result = await follow(options.socketPath, { method: 'POST', path: of(input.instance_id, 'start'), body: input, signal }, onLog);
      const { instance_id, runtime, card } = StartResult.parse(result);
      return { instance_id, runtime, card };
    },
    async stop(id) {
      await json({ method: 'POST', path: of(id, 'stop') }, nothing);
    },
    async sleep(id, tier) {
      await json({ method: 'POST', path: of(id, 'sleep'), body: { tier } }, nothing);
    },
    async wake(id) {
      await json({ method: 'POST', path: of(id, 'wake') }, nothing);
    },
    async restrict(id, network) {
      await json({ method: 'POST', path: of(id, 'restrict'), body: network }, nothing);
    },
    networkDenials(after) {
      const query = after ? `?${new URLSearchParams({ boot_id: after.boot_id, seq: String(after.seq) })}` : '';
      return json({ method: 'GET', path: `/network-denials${query}` }, Denials);
    },
    networkQuestions: (exchange) => json({ method: 'POST', path: '/network-questions', body: exchange }, Questions),
    instances: () => json({ method: 'GET', path: '/instances' }, z.array(Status)),
    current: () => json({ method: 'GET', path: '/current' }, CurrentVersion),
    logs(id, { after, limit } = {}) {
      const query = new URLSearchParams();
      if (after !== undefined) query.set('after', String(after));
      if (limit !== undefined) query.set('limit', String(limit));
      return json({ method: 'GET', path: `${of(id, 'logs')}?${query}` }, z.array(StoredLine));
    },
    address: (id) => ({ unix: join(instancesDir, id, 'http.sock') }),
    keepOnly: (keep) => json({ method: 'POST', path: '/keep-only', body: keep }, KeepResult),
  };
}

/** Without a card the member is absent. */
function asOutput(value: unknown): BuildOutput {
  const { card, ...rest } = BuildResult.parse(value);
  return card === undefined ? rest : { ...rest, card };
}

/** Sends one request; resolves with a 2xx answer whose body is unread, else throws the host's own error. */
async function send(socketPath: string, call: Call): Promise<IncomingMessage> {
  const { signal } = call;
  if (signal?.aborted === true) throw new RuntimeError('cancelled', 'The call was cancelled.');
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { 'content-type': call.stream === undefined ? 'application/json' : 'application/gzip' };
    const outgoing = request({ socketPath, method: call.method, path: call.path, headers, ...(signal === undefined ? {} : { signal }) });
    outgoing.on('response', resolve);
    outgoing.on('error', (error) => reject(unreachable(error, signal)));
    // A host that answers early (a refusal) closes the request: that answer is what counts, not the broken
    // upload.
    if (call.stream !== undefined) outgoing.flushHeaders();
    if (call.stream !== undefined) pipeline(call.stream, outgoing).catch((error: unknown) => reject(unreachable(error, signal)));
    else outgoing.end(call.body === undefined ? undefined : JSON.stringify(call.body));
  });
  if (answer.statusCode === 200) return answer;
  const parsed = ErrorBody.safeParse(parseJson(await text(answer)));
  throw parsed.success
    ? new RuntimeError(parsed.data.code, parsed.data.message)
    : new RuntimeError('internal', `The host answered with status ${answer.statusCode ?? 0}.`);
}

async function follow(socketPath: string, call: Call, onLog: OnLog): Promise<unknown> {
  const answer = await send(socketPath, call);
  let outcome: { result?: unknown; error?: z.infer<typeof ErrorBody> } | undefined;
  const lines = lineSplitter((line) => {
    const parsed = StreamLine.safeParse(parseJson(line));
    if (!parsed.success) return;
    if ('log' in parsed.data) onLog(parsed.data.log);
    else if (!('wait' in parsed.data)) outcome = parsed.data;
  }, 4_194_304);
  try {
    for await (const chunk of answer) lines.push(bytes(chunk));
  } catch (error) {
    throw unreachable(error, call.signal);
  }
  lines.end();
  if (outcome === undefined) throw new RuntimeError('host_unreachable', 'The host ended before it had an answer; try again.');
  if (outcome.error !== undefined) throw new RuntimeError(outcome.error.code, outcome.error.message);
  return outcome.result;
}

async function text(answer: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer) chunks.push(bytes(chunk));
  return Buffer.concat(chunks).toString();
}

/** An IncomingMessage without an encoding yields only Buffers. */
const bytes = (chunk: unknown): Uint8Array => chunk as Uint8Array;

function unreachable(error: unknown, signal: AbortSignal | undefined): RuntimeError {
  if (error instanceof RuntimeError) return error;
  if (signal?.aborted === true) return new RuntimeError('cancelled', 'The call was cancelled.');
  const why = error instanceof Error && 'code' in error ? String(error.code) : 'connection lost';
  return new RuntimeError('host_unreachable', `The runtime host does not answer (${why}); see \`npm run status\` and \`npm run logs host\`.`);
}
