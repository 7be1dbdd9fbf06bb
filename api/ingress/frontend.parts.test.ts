// Packed frontends in a real browser: each auth mode, the hand-off from the dashboard's origin, and what
// another origin's page may try.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { existsSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Frontend } from '#contract/wire/manifest.ts';
import { pooledAgentHttp } from '#drivers/agent-http/pooled.ts';
import { createAgentPools } from '#drivers/agent-http/pools.ts';
import { Agent, NoAuthResolver, PlatformUserAuth, PlatformUserAuthResolver, skill, z, type AuthResolver } from '#sdk/typescript/index.ts';
import { startAgent, type StartedAgent } from '#sdk/typescript/runtime/start.ts';
import { addAgent, addUser } from '#test/support/verbs.ts';
import { createLogger } from '../http/log.ts';
import { serveAuth } from '../routes/identity/test/sign-in.ts';
import { agentSessions } from './agent-sessions.ts';
import { createIngress } from './ingress.ts';
import type { IngressRoute } from './route-cache.ts';
import { launchBrowser } from '#test/support/browser.ts';

const BROWSER = process.env.SVC_CHROMIUM ?? '/usr/bin/chromium';
const EMAIL = 'ada@svc.local';
const KEY = 'the-key';
const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>Page</title>
<h1>…</h1><p id="who">…</p><form method="post" action="/.svc/session/end"><button>Sign out</button></form><script src="/app/app.js"></script></html>`;
const SCRIPT = `const config = await (await fetch('/app/config.json')).json();
document.querySelector('h1').textContent = config.agent.name;
const [skill] = config.skills;
const answer = await fetch(skill.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
document.querySelector('#who').textContent = answer.ok ? 'You are ' + JSON.stringify(await answer.json()) : 'refused ' + answer.status;`;

const pools = createAgentPools({ connections: 4, inFlight: 8, pools: 4, idleMs: 60_000, connectMs: 1_000 });
const routes = new Map<string, IngressRoute>();
const agents: StartedAgent[] = [];
/** What agents were asked, by whom. */
const heard: string[] = [];
let browser: Browser;
let api: Awaited<ReturnType<typeof serveAuth>>;
let folder: string;
let names: Record<Frontend['auth'], string>;

describe.skipIf(!existsSync(BROWSER))('packed frontends (needs chromium: apt-get install chromium, or SVC_CHROMIUM)', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-pages-'));
    const dist = join(folder, 'dist');
    await mkdir(dist);
    await writeFile(join(dist, 'index.html'), PAGE.replace('<script src', '<script type="module" src'));
    await writeFile(join(dist, 'app.js'), SCRIPT);
    const agentHttp = pooledAgentHttp(pools);
    api = await serveAuth((ctx, authenticate) => {
      const ingress = createIngress({
        platform: { config: ctx.config, issuer: `${ctx.config.baseUrl}/idp` },
        resolve: async (name) => routes.get(name),
        sessions: agentSessions(ctx),
        admit: { authenticate, whileAllowed: () => () => undefined },
        call: {
          beginTask: async () => ({}),
          callAgent: async ({ route, actor, face, headers, body, signal }) => {
            heard.push(`${route.agentName} ${actor.kind === 'user' ? actor.email : actor.kind}`);
            const path = face.kind === 'skill' ? `/invoke/${face.skill}` : '/mcp';
            return agentHttp.send(route, { method: 'POST', path, headers, body, signal, timeoutMs: 20_000 });
          },
        },
        pass: { pools },
        report: { log: createLogger('silent') },
      });
      return ingress.front;
    });
    const owner = await addUser(api.db, 'owner');
    const serve = async (auth: Frontend['auth'], resolver?: AuthResolver): Promise<string> => {
      const { id, name } = await addAgent(api.db, owner, { live: true });
      await api.db('agents').where({ agent_id: id }).update({ visibility: 'public' });
      const socketPath = join(folder, `${auth}.sock`);
      class Paged extends Agent {
        override name = name;
        override description = 'Has a page';
        override version = '1.0.0';
        override authModel = PlatformUserAuth.partial();
        override authResolver = resolver ?? new NoAuthResolver();
        whoami = skill({ description: 'Says who calls', input: z.object({}), output: z.unknown() }, async (run) => Object(run.auth)['email'] ?? 'nobody');
      }
      const frontend = { dist, mount: '/app', auth, controlPlaneUrl: api.baseUrl };
      agents.push(await startAgent(Paged, { apiKey: KEY, frontend, listen: { path: socketPath }, onLog: () => undefined }));
      routes.set(name, {
        agentId: id, agentName: name, ownerId: owner, deployId: 'dep_1', version: '1.0.0', image: 'sha256:1', runtime: 'sha256:2',
        visibility: 'public', address: { unix: socketPath }, apiKey: KEY, maxRuntimeMs: 20_000,
      }); // prettier-ignore
      return name;
    };
    const people = (): AuthResolver => new PlatformUserAuthResolver({ controlPlaneUrl: api.baseUrl });
    names = { public: await serve('public'), inherit: await serve('inherit', people()), platform: await serve('platform', people()) };
    browser = await launchBrowser({ executablePath: BROWSER });
  });
  afterAll(async () => {
    await browser?.close();
    for (const agent of agents) await agent.shutdown();
    await pools.close();
    await api?.close();
    if (folder) await rm(folder, { recursive: true });
  });

  const originOf = (auth: Frontend['auth']): string => `http://${names[auth]}.${new URL(api.baseUrl).host}`;

  async function open(): Promise<{ page: Page; complaints: string[] }> {
    const context = await browser.newContext({ viewport: { width: 900, height: 600 } });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    return { page, complaints };
  }
  async function signIn(page: Page): Promise<void> {
    await page.getByLabel('Email').fill(EMAIL);
    await page.getByLabel('Password').fill(await api.password(EMAIL));
    await page.getByRole('button', { name: 'Sign in' }).click();
  }
  /** The question before the first hand-over to an agent, where it comes. */
  async function agree(page: Page): Promise<boolean> {
    await page.waitForURL((url) => url.origin !== api.baseUrl || url.pathname === '/sign-in/agent');
    const asked = new URL(page.url()).origin === api.baseUrl;
    if (asked) await page.getByRole('button', { name: 'Yes, continue' }).click();
    return asked;
  }
  const whoIn = async (page: Page): Promise<string> => {
    // No script of ours: the page's policy refuses what is evaluated.
    const who = page.locator('#who').filter({ hasText: /^(?:You are|refused)/ });
    await who.waitFor();
    return (await who.textContent()) ?? '';
  };

  test('platform: signed out, the page leads to the sign-in and back; then its skill knows the person; signed out again, it does not', async () => {
    const { page, complaints } = await open();
    const origin = originOf('platform');
    await page.goto(`${origin}/app/orders/17?x=1`);
    expect(new URL(page.url()).origin).toBe(api.baseUrl);
    await signIn(page);
    expect(await agree(page)).toBe(true);
    await page.waitForURL(`${origin}/app/orders/17?x=1`);
    await page.goto(`${origin}/app/`);
    expect(await whoIn(page)).toBe(`You are "${EMAIL}"`);
    if (process.env.SVC_SCREENSHOTS) await page.screenshot({ path: `${process.env.SVC_SCREENSHOTS}/packed-frontend.png` });
    expect(heard.at(-1)).toBe(`${names.platform} ${EMAIL}`);
    const cookies = await page.context().cookies(origin);
    expect(cookies.map(({ name, httpOnly, secure, sameSite, domain }) => ({ name, httpOnly, secure, sameSite, domain }))).toEqual([
      { name: '__Host-svc_agent', httpOnly: true, secure: true, sameSite: 'Lax', domain: new URL(origin).hostname },
    ]);
    expect(await page.evaluate('document.cookie')).toBe('');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out of').waitFor();
    expect(await page.context().cookies(origin)).toEqual([]);
    // The dashboard's own session goes on: the person is handed over again without a password.
    await page.goto(`${origin}/app/`);
    expect(await whoIn(page)).toBe(`You are "${EMAIL}"`);
    expect(complaints).toEqual([]);
  });

  test('public: the page is everybody’s, and its skill knows who signed in', async () => {
    const { page, complaints } = await open();
    await page.goto(`${originOf('public')}/app/`);
    expect(await whoIn(page)).toBe('You are "nobody"');
    expect(complaints).toEqual([]);
  });

  test('inherit: the page wants whom the agent wants', async () => {
    const { page } = await open();
    await page.goto(`${originOf('inherit')}/app/`);
    await signIn(page);
    await agree(page);
    await page.waitForURL(`${originOf('inherit')}/app/`);
    expect(await whoIn(page)).toBe(`You are "${EMAIL}"`);
  });

  test('a code works once; another agent’s page cannot call as the person', async () => {
    const { page } = await open();
    const handOvers: string[] = [];
    page.on('request', (request) => request.url().includes('/.svc/session?code=') && handOvers.push(request.url()));
    await page.goto(`${originOf('platform')}/app/`);
    await signIn(page);
    await agree(page);
    await whoIn(page);
    await page.goto(handOvers[0] ?? '');
    await page.getByText('This link is over').waitFor();
    await page.goto(`${originOf('public')}/app/`);
    await whoIn(page);
    const before = heard.length;
    const target = `${originOf('platform')}/invoke/whoami`;
    await page.evaluate(`fetch(${JSON.stringify(target)}, { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{}' }).catch(() => undefined)`);
    expect(heard.slice(before).filter((line) => line.includes(EMAIL))).toEqual([]);
    for (const next of ['//evil.test/', 'https://evil.test/']) {
      await page.goto(`${originOf('platform')}/.svc/session/start?${new URLSearchParams({ next })}`);
      expect(new URL(page.url()).origin).toBe(originOf('platform'));
    }
  });
});
