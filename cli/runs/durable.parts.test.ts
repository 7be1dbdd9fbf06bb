// The tool on everything a run crosses: a real API, Temporal, worker and agent; the API is taken away in the
// middle.
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { durableWorld, type DurableWorld } from '#test/support/durable/world.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { makeTool, type Tool } from '../test/tool.ts';

let w: DurableWorld;
let tool: Tool;
let signedIn: { env: { SVC_TOKEN: string } };
beforeAll(async () => {
  w = await durableWorld();
  tool = await makeTool(w.url, '/nowhere');
  signedIn = { env: { SVC_TOKEN: w.token('ada') } };
});
afterAll(async () => {
  await w.close();
  await tool.remove();
});

const svc = (...argv: string[]) => tool.run(argv, signedIn);
const probe = (): string => w.agent.name;
const receiptIn = (err: string): string | undefined => /Receipt (\S+)/.exec(err)?.[1];
/** Typed as it is asked for. */
function person(...argv: string[]) {
  const stdin = new PassThrough();
  return { ended: tool.run(argv, { ...signedIn, interactive: true, stdin }), type: (line: string) => void stdin.write(`${line}\n`) };
}
const waiting = async (): Promise<string> =>
  await vi.waitFor(
    async () => {
      const [wait] = JSON.parse((await svc('answer', '--json')).out);
      expect(wait).toBeDefined();
      return String(wait.wait_id);
    },
    { timeout: 40_000, interval: 200 },
  );

test('a plain call asks here and is answered here, with one receipt', async () => {
  const { ended, type } = person('call', probe(), 'ask', 'times=2');
  type('blue');
  type('green');
  const ran = await ended;
  expect(ran.code, ran.err).toBe(EXIT.ok);
  expect(JSON.parse(ran.out)).toEqual({ answers: ['blue', 'green'] });
  expect(ran.err).toMatch(/\? Question 1\?[\s\S]*\? Question 2\?/);
  expect(receiptIn(ran.err)).toBeDefined();
});

test('a run is followed over an API that goes and comes back: each event once, in order', async () => {
  const running = tool.spawn(['call', probe(), 'tell', 'times=60', 'everyMs=50', '--durable'], signedIn.env);
  await running.saw(/… 10\n/);
  await w.stopApi();
  await running.saw(/trying again/);
  await w.startApi();
  const ran = await running.ended;
  expect(ran.code, ran.err).toBe(EXIT.ok);
  expect(JSON.parse(ran.out)).toEqual({ told: 60 });
  expect([...ran.err.matchAll(/^… (\d+)$/gm)].map(([, n]) => Number(n))).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
});

test('started and left, seen, answered from elsewhere, followed to its end', async () => {
  const started = await svc('call', probe(), 'ask', 'times=1', '--detach');
  const id = started.out.trim();
  expect(id).toMatch(/^run_/);
  const wait = await waiting();
  expect((await svc('runs', '--state', 'waiting')).out).toContain(id);
  expect((await svc('logs', '--run', id)).err).toContain(`svc answer ${wait} VALUE`);
  expect(await svc('logs', probe(), '--run', id, '-f', '--no-input')).toMatchObject({ code: EXIT.waiting });
  expect(await svc('answer', wait, 'red')).toMatchObject({ code: EXIT.ok });
  expect((await svc('answer', wait, 'blue')).code).toBe(EXIT.failure);
  const ran = await svc('logs', '--run', id, '--follow');
  expect(ran.code, ran.err).toBe(EXIT.ok);
  expect(JSON.parse(ran.out)).toEqual({ answers: ['red'] });
  const other = { env: { SVC_TOKEN: w.token('ben') } };
  expect((await tool.run(['logs', probe(), '--run', id], other)).code).toBe(EXIT.failure);
  expect((await tool.run(['answer', wait, 'x'], other)).code).toBe(EXIT.failure);
});

test('a run is cancelled, and so is what it waits for', async () => {
  const id = (await svc('call', probe(), 'ask', 'times=1', '--detach')).out.trim();
  await waiting();
  expect(await svc('cancel', id)).toMatchObject({ code: EXIT.ok });
  const ran = await svc('logs', '--run', id, '-f');
  expect(ran).toMatchObject({ code: EXIT.failure, out: '' });
  expect(ran.err).toContain('cancelled');
  // The engine withdraws the question after the run has ended.
  await vi.waitFor(async () => expect((await svc('answer')).err).toBe('Nothing waits for you.\n'), { timeout: 30_000, interval: 100 });
  expect((await svc('cancel', id)).err).toContain('ended already');
});

test('a plain call without a terminal prints how to answer, and continues', async () => {
  const left = await svc('call', probe(), 'ask', 'times=1', '--no-input');
  expect(left.code, left.err).toBe(EXIT.waiting);
  const id = /--run (run_\S+)/.exec(left.err)?.[1] ?? '';
  expect(await svc('answer', await waiting(), 'later')).toMatchObject({ code: EXIT.ok });
  expect(JSON.parse((await svc('logs', '--run', id, '-f')).out)).toEqual({ answers: ['later'] });
});

test('a conversation: calls, a question inline, and the thread taken up again', async () => {
  const { ended, type } = person('chat', probe());
  type('add a=2 b=3');
  type('ask times=1');
  type('yellow');
  type('/quit');
  const ran = await ended;
  expect(ran.code, ran.err).toBe(EXIT.ok);
  expect(ran.out).toContain('5');
  expect(ran.out).toContain('yellow');
  const thread = /--thread (thr_\S+)/.exec(ran.err)?.[1] ?? '';
  const again = await tool.run(['chat', probe(), '--thread', thread], { ...signedIn, stdin: 'add a=1 b=1\n' });
  expect(again.code, again.err).toBe(EXIT.ok);
  expect(again.err).toContain('yellow');
  expect(again.out).toContain('2');
});
