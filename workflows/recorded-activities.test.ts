// Workflows that are open call activities as their code did when they began: pinned ones for as long as they
// live. An activity that a recorded history calls and that is renamed, or wants more than it is given there,
// would be retried for ever (deploy/runbooks/workers.md).
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createActivities } from '#activities/index.ts';
import { testContext, type TestContext } from '#test/support/context.ts';

const History = z.object({
  events: z.array(
    z.object({
      activityTaskScheduledEventAttributes: z
        .object({ activityType: z.object({ name: z.string() }), input: z.object({ payloads: z.array(z.unknown()).optional() }).nullish() })
        .optional(),
    }),
  ),
});

/** Activities whose last arguments may be left out: the fewest and the most. */
const OPTIONAL: Readonly<Record<string, readonly [number, number]>> = { buildImage: [1, 2], endPurge: [1, 2], endRetention: [1, 2] };

let t: TestContext;
/** Arguments that each activity names. */
let registered: ReadonlyMap<string, number>;
beforeAll(async () => {
  t = await testContext();
  const activities = createActivities(t.ctx, { node: 'local', buildsAtOnce: 1, retention: { archiveAfterDays: 30, removeAfterDays: 365 } });
  registered = new Map(Object.entries(activities).map(([name, run]) => [name, run.length]));
});
afterAll(() => t.close());

const folder = new URL('./histories/', import.meta.url);
const recorded = (await readdir(fileURLToPath(folder))).filter((name) => name.endsWith('.json'));

async function callsOf(name: string): Promise<{ activity: string; given: number }[]> {
  const { events } = History.parse(JSON.parse(await readFile(new URL(name, folder), 'utf8')));
  return events.flatMap(({ activityTaskScheduledEventAttributes: call }) =>
    call ? [{ activity: call.activityType.name, given: call.input?.payloads?.length ?? 0 }] : [],
  );
}

function fits({ activity, given }: { activity: string; given: number }): boolean {
  const named = registered.get(activity);
  if (named === undefined) return false;
  const [fewest, most] = OPTIONAL[activity] ?? [named, named];
  return fewest <= given && given <= most;
}

test('every activity that a recorded history calls is registered, and takes what it is given there', async () => {
  const calls = await Promise.all(recorded.map(async (history) => (await callsOf(history)).map((call) => ({ history, ...call }))));
  expect(calls.flat().length).toBeGreaterThan(recorded.length);
  expect(calls.flat().filter((call) => !fits(call))).toEqual([]);
});

test('one that was renamed, or wants more, is seen', () => {
  expect([
    { activity: 'sealWait', given: 2 },
    { activity: 'settleWait', given: 1 },
    { activity: 'settleWait', given: 3 },
    { activity: 'settleWait', given: 2 },
  ].map(fits)).toEqual([false, false, false, true]); // prettier-ignore
});
