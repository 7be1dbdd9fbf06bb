// The dashboard over the whole stack, with an agent in a machine: signing in by the cookie, calling,
// answering, and going on where the API, the network or the person was gone for a while.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { signedIn } from '#stack/demo/person.ts';
import { type Installation, installation, ok } from './installation.ts';
import { launchBrowser } from '../support/browser.ts';

const STEPS = 40;

const FILES = {
  'svc.yaml': 'name: desk\nversion: 1.0.0\nentrypoint: agent:Desk\n',
  'package.json': JSON.stringify({ name: 'desk', version: '1.0.0', type: 'module', private: true }),
  'agent.ts': `import { Agent, skill, z } from '@svc/sdk';

const EVIL = '<svg xmlns="http://www.w3.org/2000/svg" onload="window.pwned=1"><script>window.pwned=2</script><text y="20">drawn</text></svg>';
const PAGE = '<script>window.pwned=3</script><img src="http://evil.invalid/x" onerror="window.pwned=4">';
const WORDS = '[click](javascript:window.pwned=5) <img src=x onerror="window.pwned=6"> ![seen](http://evil.invalid/pixel.png) <script>window.pwned=7</script>';

export class Desk extends Agent {
  name = 'desk';
  description = 'A desk. <script>window.pwned=8</script>';
  version = '1.0.0';
  paint = skill(
    { description: 'Paints a thing', input: z.object({ thing: z.string() }), output: z.object({ text: z.string() }) },
    async (ctx, { thing }) => ({ text: thing + ' is ' + (await ctx.ask('Which colour?')) + ' now' }),
  );
  count = skill(
    { description: 'Counts slowly', input: z.object({ to: z.number().int() }), output: z.object({ counted: z.number() }), stream: true },
    async (ctx, { to }) => {
      for (let n = 1; n <= to; n += 1) {
        await ctx.emitProgress('step ' + n, { progress: n, total: to });
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
      return { counted: to };
    },
  );
  trick = skill({ description: 'Leaves files', input: z.object({}), output: z.object({ text: z.string() }), stream: true }, async (ctx) => {
    await ctx.emitArtifact(await ctx.writeArtifact('evil.svg', EVIL, 'image/svg+xml'));
    await ctx.emitArtifact(await ctx.writeArtifact('evil.html', PAGE, 'text/html'));
    await ctx.emitArtifact(await ctx.writeArtifact('evil.md', WORDS, 'text/markdown'));
    return { text: WORDS };
  });
}
`,
};

const Accounts = z.object({ accounts: z.array(z.object({ email: z.string(), password: z.string() })) });

let i: Installation;
let browser: Browser;
let context: BrowserContext;
let password: string;
beforeAll(async () => {
  i = await installation();
  ok(await i.stack('up'));
  ok(await i.svc('login', '--local', 'ada@svc.local'));
  ok(await i.svc('deploy', await i.project('desk', FILES), '--public', '--wait'));
  const { accounts } = Accounts.parse(JSON.parse(await readFile(join(i.stateDir, 'secrets', 'local-accounts.json'), 'utf8')));
  password = accounts.find(({ email }) => email === 'ada@svc.local')?.password ?? '';
  browser = await launchBrowser();
  context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
});
afterAll(async () => {
  await browser?.close();
  await i?.destroy();
});

/** Of the tab that a test opened last. */
let complaints: string[] = [];
afterEach(() => {
  expect(complaints).toEqual([]);
});

async function open(path: string): Promise<Page> {
  const page = await context.newPage();
  complaints = [];
  // What is offline or gone for a moment is said by the browser itself.
  page.on('console', (message) => message.type() === 'error' && !/Failed to load resource|net::ERR/.test(message.text()) && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(i.baseUrl + path);
  return page;
}

/** A run that goes on without its caller. */
async function started(skill_name: string, body: Record<string, unknown>): Promise<string> {
  const { client } = await signedIn(i.baseUrl, i.home);
  return (await client.agents.startRun({ params: { name: 'desk', skill_name }, headers: {}, body })).run_id;
}

test('a person signs in from the page that they wanted, and is there', async () => {
  const page = await open('/agents/desk/skills/paint');
  await page.getByRole('link', { name: 'Sign in to call it' }).click();
  await page.getByLabel('Email').fill('ada@svc.local');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${i.baseUrl}/agents/desk/skills/paint`);
  await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
  const cookie = (await context.cookies()).find(({ name }) => name === '__Host-svc_session');
  expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Lax', path: '/' });
  expect(await page.evaluate<string>('document.cookie')).toBe('');
  await page.close();
});

test('a skill is called by its form and answered from the keyboard; its receipt is verified in the browser', async () => {
  const page = await open('/agents/desk/skills/paint');
  await page.getByLabel('thing').fill('The door');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const answer = page.getByPlaceholder('Your answer');
  await answer.fill('green');
  await answer.press('Enter');
  await page.getByText('The door is green now').waitFor();
  await page.getByRole('link', { name: /^rcp_/ }).click();
  await page.getByText('The receipt holds.').waitFor();
  await page.close();
});

test('the API is killed while a person is asked: two tabs go on, and show the same', async () => {
  const runId = await started('paint', { thing: 'The wall' });
  const [one, two] = [await open(`/runs/${runId}`), await open(`/runs/${runId}`)];
  await Promise.all([one, two].map((page) => page.getByPlaceholder('Your answer').waitFor()));
  await i.kill('api');
  await expect
    .poll(
      () =>
        fetch(`${i.baseUrl}/readyz`).then(
          ({ status }) => status,
          () => 0,
        ),
      { timeout: 60_000 },
    )
    .toBe(200);
  await one.getByPlaceholder('Your answer').fill('blue');
  await one.getByPlaceholder('Your answer').press('Enter');
  await Promise.all([one, two].map((page) => page.getByText('succeeded', { exact: true }).first().waitFor({ timeout: 60_000 })));
  await one.getByRole('tab', { name: 'Input and output' }).click();
  await one.getByText('The wall is blue now').first().waitFor();
  await Promise.all([one.close(), two.close()]);
});

test('the network is gone for a while: every event is there, once', async () => {
  const runId = await started('count', { to: STEPS });
  const page = await open(`/runs/${runId}?tab=events`);
  await page.getByText('step 3', { exact: false }).first().waitFor();
  await context.setOffline(true);
  await page.getByText('connection lost').waitFor({ timeout: 60_000 });
  await context.setOffline(false);
  await page.getByText('succeeded', { exact: true }).first().waitFor({ timeout: 60_000 });
  const { client } = await signedIn(i.baseUrl, i.home);
  const run = z.object({ last_seq: z.number() }).parse(await (await client.agents.run({ params: { name: 'desk', run_id: runId } })).json());
  await page.getByText(`${run.last_seq} events`).waitFor();
  await page.close();
});

test('what a hostile agent left is shown, and nothing of it runs or calls elsewhere', async () => {
  const runId = await started('trick', {});
  const page = await open(`/runs/${runId}?tab=files`);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  for (const name of ['evil.svg', 'evil.html', 'evil.md']) await page.getByRole('navigation', { name: 'Files' }).getByText(name).click();
  await page.getByRole('tab', { name: 'Input and output' }).click();
  await page.getByText('window.pwned=7').first().waitFor();
  await page.goto(`${i.baseUrl}/agents/desk`);
  await page.getByText('window.pwned=8').first().waitFor();
  expect(await page.evaluate('window.pwned')).toBeUndefined();
  expect(asked.filter((url) => !url.startsWith(i.baseUrl) && !url.startsWith('blob:') && !url.startsWith('data:'))).toEqual([]);
  await page.close();
});

test('signed out everywhere, no other browser is in', async () => {
  const cookies = await context.cookies();
  const other = await browser.newContext();
  await other.addCookies(cookies);
  const page = await open('/settings');
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.waitForURL((url) => url.pathname !== '/settings');
  const elsewhere = await other.newPage();
  await elsewhere.goto(`${i.baseUrl}/settings`);
  await elsewhere.getByText('Sign in to see this page.').waitFor();
});
