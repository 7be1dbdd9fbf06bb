// Signals end the tool by their codes, without a stack; a reader that has seen enough is no failure.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeTool, type Tool } from '../test/tool.ts';
import { EXIT } from './exit-codes.ts';

// A control plane that takes a request and never answers.
const silent = createServer(() => undefined);
let tool: Tool;
beforeAll(async () => {
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const address = silent.address();
  tool = await makeTool(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, '/nowhere');
});
afterAll(async () => {
  silent.close();
  await tool.remove();
});

test.each([
  ['SIGINT', EXIT.interrupted],
  ['SIGTERM', EXIT.terminated],
] as const)('%s while it waits for an answer ends it with %d', async (signal, code) => {
  const asked = once(silent, 'connection');
  const child = tool.spawn(['agents'], { SVC_TOKEN: 'ada' });
  await asked;
  child.process.kill(signal);
  expect(await child.ended).toEqual({ code, out: '', err: '' });
});

test('a pipe that is closed early ends it quietly', async () => {
  const child = tool.spawn(['help', 'build']);
  child.process.stdout?.destroy();
  expect(await child.ended).toMatchObject({ code: EXIT.ok, err: '' });
});
