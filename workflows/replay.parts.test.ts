// Recorded histories of every workflow type, replayed against today's code: a change that would break runs
// under way fails here. Record (together with patched() or a new type): RECORD_HISTORIES=1 npx vitest run
// workflows/deploy-agent. What was recorded before stays beside it under its own number; delete one only when
// nothing that began with its code can be open any more (deploy/runbooks/workers.md).
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type WorkflowBundle, Worker } from '@temporalio/worker';
import { beforeAll, expect, test } from 'vitest';
import { shapeOf } from '#test/support/history-shape.ts';
import * as workflows from './index.ts';

const folder = fileURLToPath(new URL('./histories/', import.meta.url));
const recorded = (await readdir(folder)).filter((name) => name.endsWith('.json'));
const read = async (name: string): Promise<string> => readFile(`${folder}${name}`, 'utf8');
const quiet = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore, log: ignore };
function ignore(): void {}

let workflowBundle: WorkflowBundle;
beforeAll(async () => {
  workflowBundle = await bundleWorkflowCode({ workflowsPath: fileURLToPath(new URL('./index.ts', import.meta.url)), logger: quiet });
});

test.each(recorded)('%s replays', async (name) => {
  await Worker.runReplayHistory({ workflowBundle }, JSON.parse(await read(name)));
});

test('every workflow type has a recorded history', () => {
  const types = new Set(recorded.map((name) => name.split('.')[0]));
  expect(types).toEqual(new Set(Object.keys(workflows)));
});

test('a history of other code is refused, and is not taken for one that is there', async () => {
  const text = await read('deployAgent.live.json');
  const other = text.replace('"takeTurn"', '"somethingElse"');
  expect(shapeOf(JSON.parse(other))).not.toBe(shapeOf(JSON.parse(text)));
  await expect(Worker.runReplayHistory({ workflowBundle }, JSON.parse(other))).rejects.toThrow(/nondeterminism/i);
});

test('two histories of the same kind differ in what the workflow did', async () => {
  const shapes = Map.groupBy(await Promise.all(recorded.map(async (name) => ({ name, shape: shapeOf(JSON.parse(await read(name))) }))), ({ name }) =>
    name.replace(/(?:\.\d+)?\.json$/, ''),
  );
  for (const [name, all] of shapes) expect(new Set(all.map(({ shape }) => shape)).size, name).toBe(all.length);
});
