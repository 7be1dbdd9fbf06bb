// Pages of the dashboard rendered for their reader, in a thread of its own: a page that takes long there, for what an agent wrote, holds up no answer of the API.
// Where it does not come in time, or not at all, the browser makes the page.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type RequestListener, type Server } from 'node:http';
import { duplexPair, type Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import type { FromRenderer, ReadingAnswer, ReadingRequest, RenderedPage, ToRenderer } from '#contract/wire/rendering.ts';

/** Most pages take a tenth of it. A browser that makes the page itself waits for the same answers. */
const IN_TIME_MS = 1_000;
/** A thread that has not even given up by then is stuck. */
const STUCK_MS = 5_000;
const AT_ONCE = 16;
/** Of all that one page reads. */
const MOST_BYTES = 2 * 1024 * 1024;
/** A thread that ended is not started again before. */
const PAUSE_MS = 5_000;
const HEAP_MIB = 256;
/** Who reads: the rest of a request says how the page is asked for. */
const READERS = ['cookie', 'host', 'user-agent', 'accept-language', 'x-forwarded-for', 'x-forwarded-proto'] as const;

export interface PageRenderer {
  /** @returns undefined: the browser makes the page */
  render(visitor: IncomingMessage, origin: string): Promise<RenderedPage | undefined>;
  close(): Promise<void>;
}

interface Visit {
  visitor: IncomingMessage;
  bytes: number;
  done(page?: RenderedPage): void;
}

/** @param script what web/build/build.ts made of web/server/worker.ts @param answer the API, which answers what a page reads */
export function pageRenderer(script: string, answer: RequestListener, onFault: (why: string) => void): PageRenderer {
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
      notBefore = performance.now() + PAUSE_MS;
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
    if (!visit || visit.bytes > MOST_BYTES) return REFUSED;
    const given = await ask(server, visit.visitor, asked).catch(() => REFUSED);
    visit.bytes += given.body.length;
    return given;
  }

  return {
    async render(visitor, origin) {
      if (visits.size >= AT_ONCE || (!worker && performance.now() < notBefore)) return undefined;
      worker ??= start();
      const running = worker;
      last += 1;
      const id = last;
      const { promise, resolve } = Promise.withResolvers<RenderedPage | undefined>();
      const late = setTimeout(() => {
        resolve(undefined);
        say({ visit: id, stop: true });
      }, IN_TIME_MS);
      const stuck = setTimeout(() => void running.terminate(), STUCK_MS);
      visits.set(id, {
        visitor,
        bytes: 0,
        done(page) {
          clearTimeout(late);
          clearTimeout(stuck);
          resolve(page);
        },
      });
      say({ visit: id, render: visitor.url ?? '/', origin });
      return await promise;
    },
    async close() {
      await worker?.terminate();
    },
  };
}

const REFUSED: ReadingAnswer = { status: 503, headers: {}, body: '' };

/** One request to the API, over a connection within the process. */
async function ask(server: Server, visitor: IncomingMessage, { method, path, headers, body }: ReadingRequest): Promise<ReadingAnswer> {
  const sent = request({ method, path, headers: { ...headers, ...readerOf(visitor.headers) }, createConnection: () => connectionOf(server, visitor) });
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
