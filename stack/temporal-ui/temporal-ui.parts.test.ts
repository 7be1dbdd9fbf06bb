// Temporal's real UI in a browser that has never been there, through the address that `npm run status`
// prints.
import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { request } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readText } from '../files.ts';
import { answersHttp } from '../health.ts';
import { freePort } from '../ports.ts';
import { identify, stopProcess, type Identity } from '../process.ts';
import { start } from '../program.ts';
import { cacheFolder } from '../setup/folders.mjs';
import { findTemporal } from '../setup/temporal-binary.mjs';
import { devServer } from '../temporal.ts';
import { CODEC_PATH } from './codec.ts';
import { createTemporalUi } from './server.ts';
import { COLUMNS, VIEWS } from './views.ts';
import { encryptedPayloads } from '#drivers/workflows/codec.ts';
import { temporalWorkflows } from '#drivers/workflows/temporal.ts';
import { launchBrowser } from '#test/support/browser.ts';

let folder: string;
let temporal: Identity | undefined;
let ui: Server;
let port: number;
let grpc: number;
const key = randomBytes(32);
const codec = encryptedPayloads({ derive: async () => key });
let browser: Browser;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-ui-'));
  const binary = findTemporal(process.env, cacheFolder(process.env));
  if (binary === undefined) throw new Error('no temporal program is installed: run npm run setup');
  let uiPort: number;
  [grpc, uiPort, port] = [await freePort(), await freePort(), await freePort()];
  const codecUrl = `http://localhost:${port}${CODEC_PATH}`;
  const program = devServer({ binary, port: grpc, uiPort, codecUrl, databaseFile: join(folder, 'temporal.db') });
  temporal = identify((await start(program, 'ignore')).pid);
  await vi.waitFor(() => answersHttp({ port: uiPort, path: '/api/v1/system-info' }), { timeout: 60_000, interval: 100 });
  ui = createTemporalUi({ uiPort, namespace: 'svc', codec });
  await new Promise<void>((resolve) => ui.listen(port, '127.0.0.1', resolve));
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  ui?.close();
  ui?.closeAllConnections();
  if (temporal) await stopProcess(temporal, 'SIGINT', 10_000);
  await rm(folder, { recursive: true, force: true });
});

async function newcomer(): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1500, height: 800 } });
  return context.newPage();
}
const headers = async (page: Page): Promise<string[]> =>
  (await page.locator('th').allInnerTexts()).map((label) => label.trim()).filter((label) => label !== '');

test('the bare address is our namespace, with our columns and views; one click opens a view', async () => {
  const page = await newcomer();
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`http://localhost:${port}/`);
  await page.waitForURL('**/namespaces/svc/workflows**');
  await vi.waitFor(async () => expect(await headers(page)).toEqual(COLUMNS.map(({ label }) => label)), { timeout: 30_000, interval: 200 });
  for (const { name } of VIEWS) await page.getByRole('button', { name, exact: true }).waitFor();
  if (process.env.SVC_SCREENSHOTS) await page.screenshot({ path: join(process.env.SVC_SCREENSHOTS, 'temporal-ui.png') });
  await page.getByRole('button', { name: 'Not well', exact: true }).click();
  await page.waitForURL((url) => url.searchParams.get('query') === VIEWS.find(({ name }) => name === 'Not well')?.query);
  expect(complaints).toEqual([]);
});

test('what a person has chosen stays, also to have none', async () => {
  const page = await newcomer();
  await page.goto(`http://localhost:${port}/favicon.ico`);
  const own = { 'namespace-workflow-table-columns': { svc: [{ label: 'Run ID', pinned: true }] }, 'saved-workflow-queries': { svc: [], other: [] } };
  await page.evaluate((kept) => Object.entries(kept).forEach(([key, value]) => localStorage.setItem(key, JSON.stringify(value))), own);
  await page.goto(`http://localhost:${port}/`);
  await page.waitForURL('**/namespaces/svc/workflows**');
  await vi.waitFor(async () => expect(await headers(page)).toEqual(['Run ID']), { timeout: 30_000, interval: 200 });
  expect(await page.getByRole('button', { name: 'Waits', exact: true }).count()).toBe(0);
});

function ask(
  path: string,
  more: Record<string, string> = {},
  method = 'GET',
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, method, headers: { host: `localhost:${port}`, ...more }, agent: false }, (incoming) => {
      text(incoming).then((body) => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text: body }), reject);
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

test('what is sealed is shown opened: the line of a workflow, and what it was given', async () => {
  const workflows = temporalWorkflows({ address: `127.0.0.1:${grpc}`, namespace: 'svc', codec });
  const facts = { type: 'runSkill', workflowId: 'run:run_1', taskQueue: 'control', args: [{ run_id: 'run_sealed' }], summary: 'run of greeter.greet' };
  await workflows.start({ ...facts, searchAttributes: { SvcKind: 'run', SvcOwner: 'usr_1' } });
  const history = await workflows.client.workflow.getHandle(facts.workflowId).fetchHistory();
  expect(JSON.stringify(history)).not.toMatch(/run_sealed|greeter|cnVuX3NlYWxlZA/);
  await workflows.close();
  const page = await newcomer();
  await page.goto(`http://localhost:${port}/namespaces/svc/workflows/run%3Arun_1`);
  await page.getByText('run_sealed').first().waitFor({ timeout: 30_000 });
  await page.getByText('run of greeter.greet').first().waitFor();
  if (process.env.SVC_SCREENSHOTS) await page.screenshot({ path: join(process.env.SVC_SCREENSHOTS, 'temporal-ui-opened.png') });
  expect((await ask(`${CODEC_PATH}/decode`, { origin: 'http://greeter.localhost:8080' }, 'POST')).status).toBe(403);
  expect(await ask(`${CODEC_PATH}/decode`, {}, 'POST')).toMatchObject({ status: 400 });
  // Sent in chunks, with no length in its headers.
  const endless = Readable.from(Array.from({ length: 65 }, () => Buffer.alloc(1024 * 1024, 'x')));
  expect((await fetch(`http://localhost:${port}${CODEC_PATH}/decode`, { method: 'POST', body: endless, duplex: 'half' })).status).toBe(413);
});

test('a name that only resolves to this machine, and a page of another origin, get nothing', async () => {
  for (const path of ['/', '/api/v1/system-info', '/api/v1/namespaces/svc/workflows']) {
    for (const host of ['evil.example', `evil.example:${port}`, `localhost.evil.example:${port}`, `greeter.localhost:${port}`, '10.0.0.1'])
      expect(await ask(path, { host })).toMatchObject({ status: 421, text: 'This is open at http://localhost only.\n' });
    for (const origin of ['http://greeter.localhost:8080', 'http://localhost:8080', `https://localhost:${port}`, 'null'])
      expect((await ask(path, { origin }, 'POST')).status).toBe(403);
  }
  for (const host of [`127.0.0.1:${port}`, `[::1]:${port}`, 'LOCALHOST']) expect((await ask('/api/v1/system-info', { host })).status).toBe(200);
});

test('the rest is the UI as it is, also compressed', async () => {
  const plain = await ask('/namespaces/svc/workflows');
  expect(plain.text).toContain('__sveltekit');
  const packed = await ask('/namespaces/svc/workflows', { 'accept-encoding': 'gzip' });
  expect(packed.headers['content-encoding']).toBe('gzip');
  expect((await ask('/api/v1/namespaces/svc')).text).toMatch(/"name":\s*"svc"/);
});

test('a UI that is away is said so', async () => {
  const none = createTemporalUi({ uiPort: await freePort(), namespace: 'svc', codec });
  await new Promise<void>((resolve) => none.listen(0, '127.0.0.1', resolve));
  const address = none.address();
  const response = await fetch(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/api/v1/settings`);
  expect([response.status, await response.text()]).toEqual([502, "Temporal's UI does not answer: see npm run status.\n"]);
  none.close();
  none.closeAllConnections();
});

test('the operators’ page has every view as it is', () => {
  const page = readText(join(import.meta.dirname, '../../deploy/runbooks/saved-views.md')) ?? '';
  for (const { name, query } of VIEWS) expect(page).toMatch(new RegExp(`^\\| \\[${name}\\]\\(.*\\| \`${query.replace(/[()]/g, '\\$&')}\` \\|$`, 'm'));
});
