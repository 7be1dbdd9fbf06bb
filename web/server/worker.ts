// The thread that renders pages for the API. It reads through the API, as the reader of the page.
import { parentPort } from 'node:worker_threads';
import type { FromRenderer, ReadingAnswer, ToRenderer } from '#contract/wire/rendering.ts';
import { render } from './render.tsx';

/** Routes that are asked with POST, for what they take, and change nothing. */
const READ_BY_POST = /^\/v1\/agents\/(?:studio\/idea-factory|[^/]+\/protocol-simulations\/runtime-readiness)$/;

const port = parentPort;
if (!port) throw new Error('this runs as a worker thread');
const say = (message: FromRenderer): void => port.postMessage(message);
const visits = new Map<number, AbortController>();
const readings = new Map<number, (answer: ReadingAnswer) => void>();
let last = 0;

port.on('message', (message: ToRenderer) => {
  if ('reading' in message) {
    readings.get(message.reading)?.(message.answer);
    readings.delete(message.reading);
  } else if ('stop' in message) visits.get(message.visit)?.abort();
  else void answer(message);
});

async function answer({ visit, render: url, origin, nonce }: Extract<ToRenderer, { render: string }>): Promise<void> {
  const stop = new AbortController();
  visits.set(visit, stop);
  try {
    const page = await render({ url, origin, nonce, fetch: (input, init) => read(visit, String(input), init), signal: stop.signal });
    say({ visit, ...(page && { page }) });
  } catch (error) {
    say({ visit, why: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  } finally {
    visits.delete(visit);
  }
}

async function read(visit: number, path: string, { method = 'GET', headers, body }: RequestInit = {}): Promise<Response> {
  if (method !== 'GET' && !READ_BY_POST.test(path)) throw new TypeError(`a page that is rendered changes nothing: it asked for ${method} ${path}`);
  last += 1;
  const reading = last;
  const {
    status,
    headers: given,
    body: text,
  } = await new Promise<ReadingAnswer>((resolve) => {
    readings.set(reading, resolve);
    say({ visit, reading, ask: { method, path, headers: Object.fromEntries(new Headers(headers)), ...(typeof body === 'string' && { body }) } });
  });
  return new Response(status === 204 ? null : text, { status, headers: given });
}
