// The tool as a person has it: bash in a real terminal. Waits are for what the screen shows.
import { execFile, execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openTerminal, type TestTerminal } from './terminal.ts';

const hasTmux = (() => {
  try {
    return execFileSync('tmux', ['-V']).length > 0;
  } catch {
    return false;
  }
})();

let home: string;
let terminal: TestTerminal | undefined;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-session-'));
});
afterEach(async () => {
  await terminal?.close();
  await rm(home, { recursive: true, force: true, maxRetries: 3 });
});

async function open(options?: Parameters<typeof openTerminal>[1]): Promise<TestTerminal> {
  terminal = await openTerminal(home, options);
  return terminal;
}

describe.runIf(hasTmux)('in a terminal', () => {
  test('the first minutes: init, validate, test, run, a call by curl, a question typed, Ctrl-C', async () => {
    const at = await open();
    await at.line('svc init greeter --language typescript && cd greeter');
    await at.shows(/Made greeter\. Next:[\s\S]*svc deploy\n/);
    const file = join(home, 'greeter/agent.ts');
    const poem = 'poem = skill({ input: z.object({ topic: z.string() }) }, async (ctx, { topic }) => `${topic} in ${await ctx.ask("Which colour?")}`);';
    await writeFile(file, (await readFile(file, 'utf8')).replace('  count = ', `  ${poem}\n\n  count = `));
    await at.line('svc validate > /dev/null; echo "validate: $?"');
    await at.shows(/ok: greeter 0\.1\.0, 3 skills\nvalidate: 0/);
    await at.line('svc test');
    await at.shows(/ok +project +greeter 0\.1\.0: agent\.ts/);
    await at.line('svc run --entrypoint agent:Greeter --host 127.0.0.1 --port 0; echo "run: $?"');
    const [, url = ''] = await at.shows(/greeter 0\.1\.0 serves (http:\/\/127\.0\.0\.1:\d+) \(stop with Ctrl-C\)/);
    const call = (skill: string, args: object): Promise<{ stdout: string }> =>
      promisify(execFile)('curl', ['-sS', '-X', 'POST', `${url}/invoke/${skill}`, '-H', 'content-type: application/json', '-d', JSON.stringify(args)]);
    expect(JSON.parse((await call('greet', { name: 'Ada' })).stdout)).toEqual({ greeting: 'Hello, Ada!' });
    const asked = call('poem', { topic: 'sea' });
    await at.shows(/\? poem asks: Which colour\?\n>/);
    await at.line('blue');
    expect(JSON.parse((await asked).stdout)).toBe('sea in blue');
    await at.key('C-c');
    await at.shows(/run: 0/);
  });

  test('colours on a terminal; none with NO_COLOR, TERM=dumb or a pipe', async () => {
    const at = await open();
    await mkdir(join(home, 'broken'));
    await writeFile(join(home, 'broken/svc.yaml'), 'name: Broken!\n');
    const red = /\u001b\[31mfailed +project/;
    await at.line('svc test -p broken');
    await at.shows(red, true);
    for (const line of ['NO_COLOR=1 svc test -p broken', 'TERM=dumb svc test -p broken', 'svc test -p broken | cat']) {
      await at.clear();
      await at.line(`${line}; echo done-$((40 + 2))`);
      await at.shows(/done-42/);
      const styled = await at.screen(true);
      expect(styled, line).toContain('failed   project');
      expect(styled, line).not.toMatch(red);
    }
  });

  test.each([44, 160])('pages fit a window of %i columns', async (columns) => {
    const at = await open({ columns, rows: 60 });
    await at.line('svc deploy --help > page; svc deploy --help; echo done-$((40 + 2))');
    await at.shows(/done-42/);
    // What the screen joins again had been broken by the terminal.
    const shown = (await at.screen()).split('done-42')[0]?.split('\n').slice(1) ?? [];
    expect(Math.max(...shown.slice(1).map((line) => line.length))).toBeLessThanOrEqual(Math.min(columns, 96));
    // A file is no window.
    expect(Math.max(...(await readFile(join(home, 'page'), 'utf8')).split('\n').map((line) => line.length))).toBeGreaterThan(80);
  });

  test('Tab completes in bash: commands, options, their choices, agents', async () => {
    const at = await open();
    await mkdir(join(home, '.svc/agents'), { recursive: true });
    await writeFile(join(home, '.svc/agents/completion'), '|text-kit\nstatus|text-kit weather\n');
    await at.line('eval "$(svc completion bash)"; echo ready-$((40 + 2))');
    await at.shows(/ready-42/);
    for (const [typed, completed] of [
      ['svc dep', 'svc deploy '],
      ['svc deploy ./x --no-w', 'svc deploy ./x --no-w'],
      ['svc deploy ./x --pub', 'svc deploy ./x --public '],
      ['svc init x --language ty', 'svc init x --language typescript '],
      ['svc status we', 'svc status weather '],
    ] as const) {
      await at.type(typed);
      await at.key('Tab');
      await at.type('#');
      await at.shows(new RegExp(`^\\$ ${completed.replaceAll('.', '\\.')}#$`, 'm'));
      await at.key('C-c');
      // What is typed before the next prompt is shown before it too.
      await at.shows(/\n\$ ?\n*$/);
    }
  });
});
