// Pages of other origins in a real browser, with the official clients: which of them call an agent behind the
// real ingress, and what the browser tells them.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';
import { launchBrowser } from '../support/browser.ts';
import { hosted, type Hosted, type HostedOptions } from './a2a-world.ts';

class Waiter extends Agent {
  name = 'waiter';
  description = 'For tests.';
  version = '1.0.0';
  order = skill({ input: z.object({ dish: z.string() }) }, async (ctx, { dish }) => ({ dish, drink: await ctx.ask('And to drink?', 60) }));
}

const PAGE = 'http://app.example';
const LOCAL = 'http://localhost.page.local';
const AGENTS = 'http://waiter.agents.example';
const ADA = { authorization: 'Bearer svc_ada' };

let site: Server;
let script = '';
let open: Hosted;
let closed: Hosted;
let listed: Hosted;
let browser: Browser;

beforeAll(async () => {
  const bundle = await build({
    entryPoints: [join(import.meta.dirname, 'page-clients.mjs')],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    logLevel: 'silent',
  });
  script = bundle.outputFiles[0]?.text ?? '';
  site = createServer((request, response) => {
    if (request.url === '/clients.js') return void response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8' }).end(script);
    const html = '<!doctype html><title>page</title><script src="/clients.js"></script>';
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html);
  }).listen(0, '127.0.0.1');
  const start = (options: HostedOptions) => hosted(new Waiter(), options);
  [open, closed, listed] = await Promise.all([start({}), start({ visibility: 'unlisted' }), start({ visibility: 'unlisted', allowedOrigins: [PAGE] })]);
  const at = ({ url }: Hosted): string => new URL(url).host;
  const pages = `127.0.0.1:${(site.address() as AddressInfo).port}`;
  browser = await launchBrowser({
    hosts: {
      'app.example:80': pages,
      'localhost.page.local:80': pages,
      'waiter.agents.example:80': at(open),
      'closed.agents.example:80': at(closed),
      'listed.agents.example:80': at(listed),
      'waiter.svc.internal:80': at(open),
    },
  });
});
afterAll(async () => {
  await browser?.close();
  site?.close();
  await Promise.all([open, closed, listed].map((one) => one?.stop()));
});

async function pageAt(origin: string): Promise<Page> {
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  await page.goto(`${origin}/`);
  return page;
}

const run = (page: Page, url: string, headers: object = {}) => page.evaluate<unknown>(`runAgUi(${JSON.stringify(url)}, ${JSON.stringify(headers)})`);
const post = (page: Page, url: string, more: object = {}) => page.evaluate<unknown>(`post(${JSON.stringify(url)}, ${JSON.stringify(more)})`);
const REFUSED = /Failed to fetch/;

test('a page runs a public agent by AG-UI and MCP, answers what it asks, and reads the headers of an answer', async () => {
  const page = await pageAt(PAGE);
  expect(await run(page, `${AGENTS}/ag-ui`)).toEqual({ dish: 'soup', drink: 'water' });
  expect(await page.evaluate(`listTools(${JSON.stringify(`${AGENTS}/mcp/`)}, {})`)).toEqual(['order']);
  expect(await post(page, `${AGENTS}/a2a`)).toEqual({ status: expect.any(Number), requestId: expect.stringMatching(/./) });
});

test('the browser keeps its cookies: a page that sends them reads nothing', async () => {
  const page = await pageAt(PAGE);
  await expect(post(page, `${AGENTS}/a2a`, { credentials: 'include' })).rejects.toThrow(REFUSED);
});

test('an unlisted agent answers pages that its owner listed, with a token, and no others', async () => {
  const page = await pageAt(PAGE);
  expect(await run(page, 'http://listed.agents.example/ag-ui', ADA)).toEqual({ dish: 'soup', drink: 'water' });
  // Where to sign in is read as well.
  expect(await post(page, 'http://listed.agents.example/mcp')).toMatchObject({ status: 401 });
  await expect(post(page, 'http://closed.agents.example/a2a', { headers: ADA })).rejects.toThrow(REFUSED);
  expect(closed.calls).toEqual([]);
});

test('a sandboxed frame, a page of a private network, and an agent on one are not called', async () => {
  const before = open.calls.length;
  const page = await pageAt(PAGE);
  const tried = page.evaluate(`new Promise((resolve) => {
    addEventListener('message', ({ data }) => resolve(data));
    const frame = document.createElement('iframe');
    frame.sandbox = 'allow-scripts';
    frame.srcdoc = '<script>fetch(${JSON.stringify(`${AGENTS}/a2a`)}, { method: "POST", body: "{}", headers: { "content-type": "application/json" } }).then(() => "read", () => "refused").then((how) => parent.postMessage(how, "*"))</' + 'script>';
    document.body.append(frame);
  })`);
  expect(await tried).toBe('refused');
  await expect(post(await pageAt(LOCAL), `${AGENTS}/a2a`)).rejects.toThrow(REFUSED);
  await expect(post(page, 'http://waiter.svc.internal/a2a')).rejects.toThrow(REFUSED);
  expect(open.calls).toHaveLength(before);
});
