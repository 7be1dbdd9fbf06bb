// Recorded histories of every workflow type, replayed against today's code: a change that would break runs under way fails here.
// Record anew (only together with patched() or a new type): RECORD_HISTORIES=1 npx vitest run workflows/deploy-agent
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { expect, test } from 'vitest';
import * as workflows from './index.ts';

const folder = fileURLToPath(new URL('./histories/', import.meta.url));
const workflowsPath = fileURLToPath(new URL('./index.ts', import.meta.url));
const recorded = (await readdir(folder)).filter((name) => name.endsWith('.json'));

test.each(recorded)('%s replays', async (name) => {
  await Worker.runReplayHistory({ workflowsPath }, JSON.parse(await readFile(`${folder}${name}`, 'utf8')));
});

test('every workflow type has a recorded history', () => {
  const types = new Set(recorded.map((name) => name.split('.')[0]));
  expect(types).toEqual(new Set(Object.keys(workflows)));
});

test('a history of other code is refused', async () => {
  const [name = ''] = recorded;
  const history: { events: { activityTaskScheduledEventAttributes?: { activityType: { name: string } } }[] } = JSON.parse(
    await readFile(`${folder}${name}`, 'utf8'),
  );
  const scheduled = history.events.find((event) => event.activityTaskScheduledEventAttributes);
  if (scheduled?.activityTaskScheduledEventAttributes) scheduled.activityTaskScheduledEventAttributes.activityType.name = 'somethingElse';
  await expect(Worker.runReplayHistory({ workflowsPath }, history)).rejects.toThrow(/nondeterminism/i);
});
