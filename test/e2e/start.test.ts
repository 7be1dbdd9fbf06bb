// docs/start.md from its second step to its last, as a newcomer types it: the commands of the page in a
// shell, its skill in the file, an answer at a terminal. Only its `npm run up` is the fixture's.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPage, regionOf } from '../../docs/pages.ts';
import { type Installation, installation, ok, type Outcome } from './installation.ts';

let i: Installation;
const page = readPage('docs/start.md');

beforeAll(async () => {
  i = await installation();
  ok(await i.stack('up'));
});
afterAll(() => i?.destroy());

/** The blocks of commands of one step, in their order. */
function commandsOf(step: number): string[] {
  const [section = ''] = page.split(/^(?=## )/m).filter((one) => one.startsWith(`## ${step}. `));
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, commands = '']) => commands);
}

/** @param typed at a terminal; absent: there is none */
async function sh(script: string, cwd: string, typed?: string): Promise<Outcome> {
  const [program, args] = typed === undefined ? ['sh', ['-e', '-c', script]] : ['script', ['-qefc', script, '/dev/null']];
  const child = spawn(program, args, { cwd, env: i.env, stdio: ['pipe', 'pipe', 'pipe'] });
  if (typed === undefined) child.stdin.end();
  else child.stdout.on('data', (shown: Buffer) => shown.includes('(yes or no)') && child.stdin.write(typed));
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}

test('sign in, write, deploy, call, answer at the terminal, check the receipt', async () => {
  const [, signIn = ''] = commandsOf(2);
  const [, withoutBrowser = ''] = signIn.split('\n');
  ok(await sh(withoutBrowser, i.home));
  ok(await sh(commandsOf(3).join('\n'), i.home));
  const folder = join(i.home, 'greeter');
  expect(ok(await sh(commandsOf(4).join('\n'), folder)).stderr).toContain('Live: greeter 0.1.0');
  expect(JSON.parse(ok(await sh(commandsOf(5).join('\n'), folder)).stdout)).toEqual({ greeting: 'Hello, Ada!' });

  const skill = regionOf('asks.ts', readPage('docs/samples/start/asks.ts'), 'invite');
  const file = join(folder, 'agent.ts');
  await writeFile(file, (await readFile(file, 'utf8')).replace(/\n}\n$/, `\n\n${skill}\n}\n`));
  const [, deployAndCall = ''] = ['', ...commandsOf(6)];
  const [deploy = '', call = ''] = deployAndCall.split('\n');
  ok(await sh(deploy, folder));
  expect(ok(await sh(call, folder, 'yes\n')).stdout).toContain('Grace is invited.');

  const [list = '', verify = ''] = (commandsOf(7)[0] ?? '').split('\n');
  const listed = ok(await sh(list, folder)).stdout;
  const receipts = listed.match(/rcp_[\w-]+/g) ?? [];
  expect(receipts.length).toBe(2);
  for (const receipt of receipts) expect(ok(await sh(verify.replace('RECEIPT', receipt), folder)).stdout).toMatch(/^Valid: /);
});
