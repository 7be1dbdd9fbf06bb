// The host's control interface for sandboxes. Shapes are in drivers/sandbox/wire.ts.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { MicroVmError } from '../microvm/images/tools.ts';
import { piecesOf } from '#drivers/sandbox/pieces.ts';
import { SandboxError, type SandboxErrorCode } from '#drivers/sandbox/port.ts';
import { ChangesQuery, CreateBody, ExecBody, fileHead, GONE, LogsQuery, SandboxId } from '#drivers/sandbox/wire.ts';
import { parseJson } from '#drivers/runtime/lines.ts';
import { RuntimeError } from '#drivers/runtime/port.ts';
import { answerJson } from '../answers.ts';
import type { Sandboxes } from './sandboxes.ts';

const maxHead = 1_048_576;
const maxExec = 32 * 1_048_576;

const statusOf: Record<SandboxErrorCode, number> = {
  image_unknown: 422,
  image_failed: 422,
  no_capacity: 503,
  not_found: 404,
  stopped: 409,
  bad_request: 400,
  host_unreachable: 502,
  internal: 500,
};

export async function routeSandbox(sandboxes: Sandboxes, request: IncomingMessage, response: ServerResponse, log: (error: unknown) => void): Promise<void> {
  try {
    await answer(sandboxes, request, response);
  } catch (error) {
    refuseSandbox(request, response, error, log);
  }
}

export function refuseSandbox(request: IncomingMessage, response: ServerResponse, error: unknown, log: (error: unknown) => void): void {
  const known = asSandboxError(error);
  if (known === undefined) log(error);
  const { code, message } = known ?? new SandboxError('internal', 'The runtime host failed; see its log (`npm run logs host`).');
  request.resume(); // an unread upload would keep the caller from reading this
  if (response.headersSent) response.destroy();
  else answerJson(response, statusOf[code], { code, message });
}

async function answer(sandboxes: Sandboxes, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://host');
  const [, id = '', verb = ''] = url.pathname.slice(1).split('/').map(decodeURIComponent);
  const query = Object.fromEntries(url.searchParams);
  const one = () => sandboxes.get(valid(SandboxId, id));
  switch (`${request.method} ${verb}`) {
    case 'POST ': {
      const pieces = piecesOf(chunksOf(request));
      const length = (await pieces.take(4))?.readUInt32LE(0) ?? 0;
      if (length === 0 || length > maxHead) throw new SandboxError('bad_request', 'A sandbox is described in at most 1 MiB of JSON.');
      const input = valid(CreateBody, parseJson((await pieces.take(length))?.toString() ?? ''));
      return answerJson(response, 200, await sandboxes.create(input, pieces));
    }
    case 'GET ':
      return answerJson(response, 200, sandboxes.list());
    case 'GET status':
      return answerJson(response, 200, one().status());
    case 'POST exec': {
      const { stdin, cwd, ...rest } = valid(ExecBody, parseJson((await whole(request, maxExec)).toString()));
      const gone = new AbortController();
      response.once('close', () => gone.abort());
      const exec = { ...rest, ...(cwd === undefined ? {} : { cwd }), ...(stdin === undefined ? {} : { stdin: Buffer.from(stdin, 'base64') }) };
      return answerJson(response, 200, await one().exec(exec, gone.signal));
    }
    case 'GET logs':
      return answerJson(response, 200, { text: one().logs(valid(LogsQuery, query).tail) });
    case 'GET changes': {
      const changes = await one().changes(valid(ChangesQuery, query).max_bytes);
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      for (const { path, content } of changes) {
        response.write(fileHead(path, content?.length ?? GONE));
        if (content !== null && content.length > 0) response.write(content);
      }
      return void response.end();
    }
    case 'POST stop':
      await sandboxes.end(valid(SandboxId, id), 'Stopped on request.', true);
      return answerJson(response, 200, { ok: true });
    case 'POST kill':
      await sandboxes.end(valid(SandboxId, id), 'Killed on request.', false);
      return answerJson(response, 200, { ok: true });
    case 'POST remove':
      await sandboxes.remove(valid(SandboxId, id));
      return answerJson(response, 200, { ok: true });
    default:
      throw new SandboxError('not_found', `The runtime host has no ${request.method} ${url.pathname}.`);
  }
}

function asSandboxError(error: unknown): SandboxError | undefined {
  if (error instanceof SandboxError) return error;
  if (error instanceof RuntimeError && error.code === 'disk_full') return new SandboxError('no_capacity', error.message);
  if (error instanceof RuntimeError && error.code === 'wake_queue_full') return new SandboxError('no_capacity', error.message);
  if (error instanceof MicroVmError && error.code === 'uids_exhausted') return new SandboxError('no_capacity', error.message);
  if (error instanceof MicroVmError && error.code === 'machine_gone') return new SandboxError('stopped', error.message);
  if (error instanceof MicroVmError && error.code === 'image_failed') return new SandboxError('image_failed', error.message);
  return undefined;
}

export function valid<T>(shape: z.ZodType<T>, value: unknown): T {
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new SandboxError('bad_request', z.prettifyError(parsed.error));
}

export async function* chunksOf(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  for await (const chunk of request) {
    const piece: unknown = chunk;
    if (Buffer.isBuffer(piece)) yield piece;
  }
}

export async function whole(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(request)) {
    size += chunk.length;
    if (size > limit) throw new SandboxError('bad_request', `The request is larger than ${limit / 1_048_576} MiB.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
