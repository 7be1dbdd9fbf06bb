// A client that knows only the address of a private agent: it finds the way to the sign-in, registers itself,
// and calls. With the last slash of the address, and without.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { Browser } from '#drivers/idp/test-browser.ts';
import { pythonWith } from '../../support/languages/python.ts';
import { print, type Suite } from './suite.ts';
import type { DeployedWorld } from './world.ts';

const VERSION = '4.2.3';
const LIMIT_MS = 180_000;

const Accounts = z.looseObject({ accounts: z.array(z.looseObject({ email: z.string(), password: z.string() })) });
const Line = z.union([z.object({ open: z.string() }), z.object({ tools: z.array(z.string()), result: z.string() })]);

export const oauth: Suite = {
  name: 'oauth',
  agents: ['private-agent'],
  async run(world) {
    const counts = { passed: 0, failed: 0 };
    for (const path of ['/mcp', '/mcp/']) {
      const wrong = await signInAndCall(world, `${world.urlOf('private-agent')}${path}`);
      print(`FastMCP ${VERSION} at ${path}: ${wrong ?? 'signed in and called'}`);
      counts[wrong === undefined ? 'passed' : 'failed'] += 1;
    }
    return counts;
  },
};

/** What went wrong. */
async function signInAndCall(world: DeployedWorld, url: string): Promise<string | undefined> {
  const python = await pythonWith(`fastmcp-${VERSION}`, [`fastmcp==${VERSION}`]);
  const child = world.start(python, [join(import.meta.dirname, 'fastmcp_sign_in.py'), url], { timeout: LIMIT_MS });
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => (log += piece));
  try {
    if (child.stdout === null) throw new Error('it was started with a pipe');
    for await (const text of createInterface({ input: child.stdout })) {
      const line = Line.safeParse(JSON.parse(text)).data;
      if (line === undefined) return `it wrote ${text}`;
      if ('open' in line) await allow(world, new URL(line.open));
      else return line.tools.join(' ') === 'add greet paint' && line.result.includes('Hello Ada') ? undefined : text;
    }
    return `it ended without a result: ${log.slice(-2_000)}`;
  } finally {
    child.kill('SIGKILL');
  }
}

/** What a person does on the pages. */
async function allow(world: DeployedWorld, address: URL): Promise<void> {
  const { accounts } = Accounts.parse(JSON.parse(await readFile(join(world.stateDir, 'secrets', 'local-accounts.json'), 'utf8')));
  const email = 'ada@svc.local';
  const browser = new Browser();
  let page = await browser.get(address);
  if (page.body.includes('type="password"')) page = await browser.post(page, { email, password: accounts.find((one) => one.email === email)?.password ?? '' });
  const { left } = await browser.post(page, { allow: 'yes' });
  if (!left) throw new Error(`the page led nowhere: ${page.status}`);
  await (await fetch(left)).text();
}
