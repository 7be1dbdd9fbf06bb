// Pages of the dashboard rendered for their reader, in a thread of its own: a page that takes long there, for
// what an agent wrote, holds up no answer of the API. Where it does not come in time, or not at all, the
// browser makes the page.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type RequestListener, type Server } from 'node:http';
import { duplexPair, type Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import type { FromRenderer, ReadingAnswer, ReadingRequest, RenderedPage, ToRenderer } from '#contract/wire/rendering.ts';

export interface RendererTimes {
  /**
   * After which the browser makes the page. Most take a twentieth of it; a browser that makes the page itself
   * waits for the same answers.
   */
  inTimeMs: number;
  /** After which a thread that has not even given up is ended. */
  stuckMs: number;
  /** After a thread has ended, until another one is started. */
  pauseMs: number;
}
const TIMES: RendererTimes = { inTimeMs: 1_000, stuckMs: 5_000, pauseMs: 5_000 };
const AT_ONCE = 16;
/** Of all that one page reads. */
const MOST_BYTES = 2 * 1024 * 1024;
const HEAP_MIB = 256;
/** Who reads: the rest of a request says how the page is asked for. */
const READERS = ['cookie', 'host', 'user-agent', 'accept-language', 'x-forwarded-for', 'x-forwarded-proto'] as const;

export interface PageRenderer {
  /** @returns undefined: the browser makes the page */
  render(visitor: IncomingMessage, of: { origin: string; nonce: string }): Promise<RenderedPage | undefined>;
  close(): Promise<void>;
}

interface Visit {
  visitor: IncomingMessage;
  /** Aborted when nothing is read for it any more. */
  over: AbortSignal;
  bytes: number;
  done(page?: RenderedPage): void;
}

/**
 * @param script what web/build/build.ts made of web/server/worker.ts @param answer the API, which answers
 * what a page reads
 */
export function pageRenderer(script: string, answer: RequestListener, onFault: (why: string) => void, times = TIMES): PageRenderer {
  const server = createServer(answer);
  const visits = new Map<number, Visit>();
  let last = 0;
  let worker: Worker | undefined;
  let notBefore = 0;

  const start = (): Worker => {
    const started = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB }, env: { NODE_ENV: 'production' } });
    started.unref();
    started.on('message', hear);
    started.on('error', (error) => onFault(error.stack ?? error.message));
    started.on('exit', () => {
      worker = undefined;
      notBefore = performance.now() + times.pauseMs;
      for (const { done } of visits.values()) done();
      visits.clear();
    });
    return started;
  };
  const say = (message: ToRenderer): void => worker?.postMessage(message);

  function hear(message: FromRenderer): void {
    const visit = visits.get(message.visit);
    if ('reading' in message) {
      void read(visit, message.ask).then((given) => say({ reading: message.reading, answer: given }));
      return;
    }
    visits.delete(message.visit);
    if (message.why !== undefined) onFault(message.why);
    visit?.done(message.page);
  }

  async function read(visit: Visit | undefined, asked: ReadingRequest): Promise<ReadingAnswer> {
    if (!visit) return REFUSED;
    const given = await ask(server, visit, asked).catch(() => REFUSED);
    visit.bytes += given.body.length;
    return visit.bytes > MOST_BYTES ? REFUSED : given;
  }

  return {
    async render(visitor, { origin, nonce }) {
      if (visits.size >= AT_ONCE || (!worker && performance.now() < notBefore)) return undefined;
      worker ??= start();
      const running = worker;
      last += 1;
      const id = last;
      const { promise, resolve } = Promise.withResolvers<RenderedPage | undefined>();
      const over = new AbortController();
      const late = setTimeout(() => {
        resolve(undefined);
        over.abort();
        say({ visit: id, stop: true });
      }, times.inTimeMs);
      const stuck = setTimeout(() => void running.terminate(), times.stuckMs);
      visits.set(id, {
        visitor,
        over: over.signal,
        bytes: 0,
        done(page) {
          clearTimeout(late);
          clearTimeout(stuck);
          resolve(page);
          over.abort();
        },
      });
      say({ visit: id, render: visitor.url ?? '/', origin, nonce });
      return await promise;
    },
    async close() {
      await worker?.terminate();
    },
  };
}

const REFUSED: ReadingAnswer = { status: 503, headers: {}, body: '' };

/** One request to the API, over a connection within the process. */
async function ask(server: Server, { visitor, over }: Visit, { method, path, headers, body }: ReadingRequest): Promise<ReadingAnswer> {
  const sent = request({
    method,
    path,
    headers: { ...headers, ...readerOf(visitor.headers) },
    signal: over,
    createConnection: () => connectionOf(server, visitor),
  });
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  sent.once('response', resolve).once('error', reject).end(body);
  const response = await promise;
  return { status: response.statusCode ?? 0, headers: joined(response.headers), body: await text(response) };
}

/** With the address of who visits: limits count by it. */
function connectionOf(server: Server, { socket }: IncomingMessage): Duplex {
  const [near, far] = duplexPair();
  Object.defineProperty(far, 'remoteAddress', { value: socket.remoteAddress });
  server.emit('connection', far);
  return near;
}

const readerOf = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(READERS.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])));

const joined = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, [value].flat().join(', ')]])));
