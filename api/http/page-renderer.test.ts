// Pages are rendered in a thread of their own: what happens there holds up nothing, and the browser makes
// what does not come.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type PageRenderer, pageRenderer, type RendererTimes } from './page-renderer.ts';

/** A thread that does what the address says. */
const THREAD = `
import { parentPort } from 'node:worker_threads';
const visits = new Map();
parentPort.on('message', (message) => {
  if ('reading' in message) return void parentPort.postMessage({ visit: visits.get(message.reading), page: { html: message.answer.status + ' ' + message.answer.body, state: '{}' } });
  if ('stop' in message) return void parentPort.postMessage({ visit: message.visit });
  const { visit, render, origin } = message;
  if (render === '/loops') for (;;);
  if (render === '/ends') process.exit(1);
  if (render === '/fails') return void parentPort.postMessage({ visit, why: 'a fault of the page' });
  if (render === '/late') return;
  if (render === '/origin') return void parentPort.postMessage({ visit, page: { html: origin, state: '{}' } });
  visits.set(visit, visit);
  parentPort.postMessage({ visit, reading: visit, ask: { method: 'GET', path: render, headers: { 'x-from': 'the page' } } });
});
`;

/** What is to come comes, also on a slow machine. */
const PATIENT: RendererTimes = { inTimeMs: 120_000, stuckMs: 120_000, pauseMs: 100 };
/** For what never comes. */
const HASTY: RendererTimes = { inTimeMs: 300, stuckMs: 900, pauseMs: 100 };
let folder: string;
let front: Server;
let url: string;
let renderer: PageRenderer | undefined;
let faults: string[];
let streamEnded = false;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-renderer-'));
  await writeFile(join(folder, 'thread.mjs'), THREAD);
  front = createServer(
    (request, response) =>
      void renderer?.render(request, { origin: 'http://svc.test', nonce: 'n' }).then((page) => response.end(page?.html ?? 'by the browser')),
  );
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await new Promise((resolve) => front.close(resolve));
  await rm(folder, { recursive: true });
});
beforeEach(() => void (faults = []));
afterEach(() => renderer?.close());
const begin = (times: RendererTimes): void => void (renderer = pageRenderer(join(folder, 'thread.mjs'), answer, (why) => faults.push(why), times));

/** The API of these tests: who asks, and what with. */
function answer(request: IncomingMessage, response: { end(text: string): void }): void {
  const { cookie, authorization, 'x-from': from } = request.headers;
  if (request.url === '/stream') return void request.once('close', () => (streamEnded = true));
  response.end(request.url === '/large' ? 'x'.repeat(3_000_000) : JSON.stringify([request.url, request.socket.remoteAddress, cookie, authorization, from]));
}

const visit = async (path: string, headers: Record<string, string> = {}): Promise<string> => (await fetch(url + path, { headers })).text();

test('a page reads as its reader: with the cookie and the address of the visit, and no other credential', async () => {
  begin(PATIENT);
  const read = JSON.parse((await visit('/v1/x?y=1', { cookie: 'a=b', authorization: 'Bearer t' })).replace('200 ', '')) as unknown;
  expect(read).toEqual(['/v1/x?y=1', '127.0.0.1', 'a=b', null, 'the page']);
  expect(await visit('/origin')).toBe('http://svc.test');
});

test('the browser makes a page that does not come in time, and one that fails', async () => {
  begin(HASTY);
  expect(await visit('/late')).toBe('by the browser');
  expect(faults).toEqual([]);
  await renderer?.close();
  begin(PATIENT);
  expect(await visit('/fails')).toBe('by the browser');
  expect(faults).toEqual(['a fault of the page']);
  expect(await visit('/v1/x')).toContain('200');
});

test('a thread that is stuck is ended, and another one renders after it', async () => {
  begin(HASTY);
  const stuck = visit('/loops');
  const beside = visit('/v1/x');
  expect([await stuck, await beside]).toEqual(['by the browser', 'by the browser']);
  await expect.poll(() => visit('/v1/x'), { timeout: 20_000 }).toContain('200');
});

test('a thread that ends leaves its pages to the browser, and is not started again at once', async () => {
  begin({ ...PATIENT, pauseMs: 600_000 });
  expect(await visit('/ends')).toBe('by the browser');
  expect(await visit('/v1/x')).toBe('by the browser');
  const later = performance.now() + 601_000;
  const time = vi.spyOn(performance, 'now').mockReturnValue(later);
  onTestFinished(() => time.mockRestore());
  expect(await visit('/v1/x')).toContain('200');
});

test('no more than sixteen pages are rendered at once', async () => {
  begin(PATIENT);
  await visit('/v1/x');
  const all = await Promise.all(Array.from({ length: 40 }, () => visit('/v1/x')));
  expect(all.filter((text) => text.startsWith('200')).length).toBeGreaterThanOrEqual(16);
  expect(all.every((text) => text.startsWith('200') || text === 'by the browser')).toBe(true);
});

test('what a page reads ends when nobody waits for it any more', async () => {
  begin(HASTY);
  // On a slow machine the first visits may be over before the thread reads anything.
  await expect
    .poll(async () => {
      expect(await visit('/stream')).toBe('by the browser');
      return streamEnded;
    })
    .toBe(true);
});

test('a page that reads too much is made by the browser', async () => {
  begin(PATIENT);
  expect(await visit('/large')).toContain('503');
});
