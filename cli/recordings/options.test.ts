// What cannot be meant is refused before anything starts.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXIT } from '../lib/exit-codes.ts';
import { makeTool, type Tool } from '../test/tool.ts';

let tool: Tool;
beforeAll(async () => {
  tool = await makeTool('http://localhost:1', '/nowhere');
});
afterAll(() => tool.remove());

test.each([
  [['test', '--record', '--replay'], 'Choose one of --record and --replay.'],
  [['dev', '--local', '--record', '--replay'], 'Choose one of --record and --replay.'],
  [['dev', '--replay'], '--record and --replay work on this machine: add --local.'],
])('svc %j', async (argv, says) => {
  const { code, err } = await tool.run(argv);
  expect([code, err]).toEqual([EXIT.usage, expect.stringContaining(says)]);
});
