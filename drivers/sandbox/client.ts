// The sandbox port spoken over the host's unix socket. Cancelling an exec ends its connection, which the host
// takes as cancel.
import { request, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { parseJson } from '../runtime/lines.ts';
import { piecesOf } from './pieces.ts';
import { SandboxError, type SandboxRuntime } from './port.ts';
import { ErrorBody, ExecResult, fileRecords, GONE, isCleanPath, MAX_PATH, Status } from './wire.ts';

export interface HostSandboxOptions {
  /** The host's control socket, `<state>/run/host.sock`. */
  socketPath: string;
}

export interface HostCall {
  method: 'GET' | 'POST';
  path: string;
  body?: unknown;
  stream?: AsyncIterable<Uint8Array>;
  signal?: AbortSignal;
}

export function hostSandbox({ socketPath }: HostSandboxOptions): SandboxRuntime {
  const of = (id: string, verb: string): string => `/sandboxes/${encodeURIComponent(id)}/${verb}`;
  const json = <T>(call: HostCall, shape: z.ZodType<T>): Promise<T> => callHost(socketPath, call, shape);
  const nothing = z.unknown();
  const order = async (id: string, verb: string): Promise<void> => void (await json({ method: 'POST', path: of(id, verb) }, nothing));

  return {
    create({ files, ...input }) {
      async function* body(): AsyncGenerator<Uint8Array> {
        const head = Buffer.from(JSON.stringify(input));
        const length = Buffer.alloc(4);
        length.writeUInt32LE(head.length);
        yield Buffer.concat([length, head]);
        yield* fileRecords(files);
      }
      return json({ method: 'POST', path: '/sandboxes', stream: body() }, Status);
    },
    async get(id) {
      return json({ method: 'GET', path: of(id, 'status') }, Status).catch((error: unknown) => {
        if (error instanceof SandboxError && error.code === 'not_found') return undefined;
        throw error;
      });
    },
    list: () => json({ method: 'GET', path: '/sandboxes' }, z.array(Status)),
    exec: (id, { stdin, ...exec }, signal) =>
      json(
        {
          method: 'POST',
          path: of(id, 'exec'),
          body: { ...exec, ...(stdin === undefined ? {} : { stdin: Buffer.from(stdin).toString('base64') }) },
          signal,
        },
        ExecResult,
      ),
    logs: async (id, tail) => (await json({ method: 'GET', path: `${of(id, 'logs')}?tail=${tail}` }, z.object({ text: z.string() }))).text,
    async changes(id, maxBytes) {
      const pieces = piecesOf(await send(socketPath, { method: 'GET', path: `${of(id, 'changes')}?max_bytes=${maxBytes}` }));
      const changedFiles: { path: string; content: Uint8Array | null }[] = [];
      try {
        for (;;) {
          const head = await pieces.take(8);
          if (head === undefined) return changedFiles;
          const [length, size] = [head.readUInt32LE(0), head.readUInt32LE(4)];
          if (length > MAX_PATH || (size !== GONE && size > maxBytes)) throw new Error('beyond the bounds');
          const path = (await pieces.take(length))?.toString() ?? '';
          const content = size === GONE ? null : size === 0 ? new Uint8Array() : await pieces.take(size);
          if (!isCleanPath(path) || content === undefined) throw new Error('broken record');
          changedFiles.push({ path, content });
        }
      } catch (error) {
        throw new SandboxError('host_unreachable', `The changes could not be read whole: ${error instanceof Error ? error.message : 'lost'}.`);
      }
    },
    stop: (id) => order(id, 'stop'),
    kill: (id) => order(id, 'kill'),
    remove: (id) => order(id, 'remove'),
  };
}

/** A request that is answered in JSON. */
export async function callHost<T>(socketPath: string, call: HostCall, shape: z.ZodType<T>): Promise<T> {
  const parsed = shape.safeParse(parseJson((await bytesOf(await send(socketPath, call))).toString()));
  if (parsed.success) return parsed.data;
  throw new SandboxError('internal', 'The host gave an answer of another shape; is it of this version?');
}

/** Sends one request; resolves with a 200 answer whose body is unread, else throws the host's own error. */
async function send(socketPath: string, call: HostCall): Promise<IncomingMessage> {
  const { signal } = call;
  signal?.throwIfAborted();
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { 'content-type': call.stream === undefined ? 'application/json' : 'application/octet-stream' };
    const outgoing = request({ socketPath, method: call.method, path: call.path, headers, ...(signal === undefined ? {} : { signal }) });
    outgoing.on('response', resolve);
    outgoing.on('error', (error) => reject(signal?.aborted === true ? signal.reason : unreachable(error)));
    if (call.stream === undefined) return void outgoing.end(call.body === undefined ? undefined : JSON.stringify(call.body));
    outgoing.flushHeaders();
    const source = Readable.from(call.stream);
    // The caller's own failure to read a file is passed on; a host that refuses early has said why in its
    // answer.
    let failure: unknown;
    source.once('error', (error) => (failure = error));
    pipeline(source, outgoing).catch((error: unknown) => setTimeout(() => reject(failure === undefined ? unreachable(error) : failure), 200));
  });
  if (answer.statusCode === 200) return answer;
  const parsed = ErrorBody.safeParse(parseJson((await bytesOf(answer)).toString()));
  throw parsed.success
    ? new SandboxError(parsed.data.code, parsed.data.message)
    : new SandboxError('internal', `The host answered with status ${answer.statusCode ?? 0}.`);
}

async function bytesOf(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of answer) chunks.push(bytes(chunk));
  } catch (error) {
    throw unreachable(error);
  }
  return Buffer.concat(chunks);
}

/** An IncomingMessage without an encoding yields only Buffers. */
const bytes = (chunk: unknown): Uint8Array => chunk as Uint8Array;

function unreachable(error: unknown): SandboxError {
  if (error instanceof SandboxError) return error;
  const why = error instanceof Error && 'code' in error ? String(error.code) : 'connection lost';
  return new SandboxError('host_unreachable', `The runtime host does not answer (${why}); see \`npm run status\` and \`npm run logs host\`.`);
}
