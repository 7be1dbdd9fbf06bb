// A model gateway on this machine for tests: it records what the providers answer, or answers from recordings
// without them. Clients of both wires find it by the addresses in their environment, unmodified.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isUtf8 } from 'node:buffer';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { MODEL_PROVIDERS, type ModelProtocol } from '#contract/wire/model-use.ts';
import { nameOf, type GatewayRequest, type RecordedAnswer, Recordings } from './recording.ts';

export type RecordingMode = 'record' | 'replay';

export interface RecordingGateway {
  /** What the agent's process, or a test program, needs in its environment. */
  env: Record<string, string>;
  /** So far. */
  seen: { answered: number; /** What could not be answered. */ problems: string[]; recordings: { taken: number; all: number } };
  /** Answers that are still coming are recorded first. */
  close(): Promise<void>;
}

const MOST_ANSWER_BYTES = 32 * 1024 * 1024;
const NOT_PASSED = new Set(['host', 'connection', 'content-length', 'accept-encoding', 'transfer-encoding']);
/** Clients require a key; recordings answer without reading it. */
const NO_KEY = 'replayed-from-recordings';

/** @param env where the providers' addresses and keys are read @throws RecordingInvalid */
export async function startRecordingGateway(folder: string, mode: RecordingMode, env: NodeJS.ProcessEnv): Promise<RecordingGateway> {
  const recordings = await Recordings.open(folder);
  const seen: { answered: number; problems: string[] } = { answered: 0, problems: [] };
  const underWay = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    const work = serve(request, response).catch((error: unknown) => {
      seen.problems.push(error instanceof Error ? error.message : String(error));
      response.destroy();
    });
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Safe: it listens on a port, not on a path.
  const { port } = server.address() as AddressInfo;
  const base = { openai: `http://127.0.0.1:${port}/openai/v1`, anthropic: `http://127.0.0.1:${port}/anthropic` };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, protocol, path] = /^\/(openai|anthropic)(\/v1\/.*)$/.exec(request.url ?? '') ?? [];
    if (!isProtocol(protocol) || path === undefined) return void response.writeHead(404).end();
    const sent = await text(request);
    const gatewayRequest = gatewayRequestOf(request, protocol, path, sent);
    if (mode === 'replay') return replay(gatewayRequest, response);
    await record(gatewayRequest, request, sent, response);
  }

  async function replay(asked: GatewayRequest, response: ServerResponse): Promise<void> {
    const answer = recordings.take(asked);
    if (!answer) return refuse(asked, response);
    seen.answered += 1;
    response.writeHead(answer.status, { 'content-type': answer.content_type });
    for (const chunk of answer.chunks) if (!response.write(answer.base64 ? Buffer.from(chunk, 'base64') : chunk)) await drained(response);
    response.end();
  }

  function refuse(asked: GatewayRequest, response: ServerResponse): void {
    const near = recordings.nearest(asked);
    const message = `No answer to this request is recorded in ${folder} (${nameOf(asked)}). ${near ? `${near}. ` : ''}Record it: svc test --record`;
    seen.problems.push(message);
    const error = { message, type: 'invalid_request_error', param: null, code: 'model_not_recorded' };
    const responseBody = asked.protocol === 'openai' ? { error } : { type: 'error', error: { ...error, message: `${message} (${error.code})` } };
    // Both providers' clients go by the header: trying again is of no use.
    response.writeHead(400, { 'content-type': 'application/json', 'x-should-retry': 'false' }).end(JSON.stringify(responseBody));
  }

  async function record(asked: GatewayRequest, request: IncomingMessage, sent: string, response: ServerResponse): Promise<void> {
    const { baseUrl, url } = MODEL_PROVIDERS[asked.protocol];
    const provider = (env[baseUrl] || url).replace(/\/+$/, '');
    const answer = await ask(provider + (asked.protocol === 'openai' ? asked.path.replace(/^\/v1/, '') : asked.path), {
      method: asked.method,
      redirect: 'error',
      headers: { ...passedOn(request), 'accept-encoding': 'identity' },
      ...(asked.method === 'POST' && { body: sent }),
    });
    const contentType = answer.headers.get('content-type') ?? 'application/octet-stream';
    response.writeHead(answer.status, { 'content-type': contentType });
    const bytes: Uint8Array[] = [];
    let size = 0;
    // To its end, also where the reader leaves: half an answer cannot be replayed.
    for await (const chunk of answer.body ?? []) {
      size += chunk.byteLength;
      if (size > MOST_ANSWER_BYTES) throw new Error(`An answer is longer than ${MOST_ANSWER_BYTES} bytes, and is not recorded`);
      bytes.push(chunk);
      if (!response.closed && !response.write(chunk)) await drained(response);
    }
    // What failed today may do tomorrow.
    if (answer.ok) await recordings.keep(asked, recorded(answer.status, contentType, Buffer.concat(bytes)));
    else seen.problems.push(`The provider answered ${answer.status}, which is not recorded: ${Buffer.concat(bytes).toString().slice(0, 300)}`);
    seen.answered += 1;
    response.end();
  }

  return {
    env: {
      ...(mode === 'replay' && Object.fromEntries(Object.values(MODEL_PROVIDERS).map(({ key }) => [key, env[key] || NO_KEY]))),
      [MODEL_PROVIDERS.openai.baseUrl]: base.openai,
      [MODEL_PROVIDERS.anthropic.baseUrl]: base.anthropic,
    },
    get seen() {
      return { ...seen, recordings: recordings.used };
    },
    close: async () => {
      await Promise.all(underWay);
      server.closeAllConnections();
      server.close();
    },
  };
}

async function ask(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    throw new Error(`The provider cannot be reached at ${new URL(url).origin}, so nothing is recorded`, { cause: error });
  }
}

function isProtocol(word: string | undefined): word is ModelProtocol {
  return word === 'openai' || word === 'anthropic';
}

/** Without what differs from one person to the next: keys, programs, versions. */
function gatewayRequestOf({ method = '', headers }: IncomingMessage, protocol: ModelProtocol, path: string, sent: string): GatewayRequest {
  const beta = headers[`${protocol}-beta`];
  return { protocol, method, path, ...(typeof beta === 'string' && { beta }), body: sent === '' ? null : parsed(sent) };
}

function parsed(sent: string): unknown {
  try {
    return JSON.parse(sent);
  } catch {
    return sent;
  }
}

function passedOn({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (NOT_PASSED.has(name) || typeof value !== 'string' ? [] : [[name, value]])));
}

function recorded(status: number, contentType: string, bytes: Buffer): RecordedAnswer {
  if (!isUtf8(bytes)) return { status, content_type: contentType, base64: true, chunks: [bytes.toString('base64')] };
  const answerText = bytes.toString();
  const chunks = /^text\/event-stream\b/i.test(contentType) ? answerText.split(/(?<=\n\n|\r\n\r\n|\r\r)/) : [answerText];
  return { status, content_type: contentType, chunks };
}

async function drained(response: ServerResponse): Promise<void> {
  if (response.closed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  response.once('drain', resolve).once('close', resolve);
  await promise;
}
