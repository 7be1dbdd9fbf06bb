// A budget holds to the cent: what an answer may cost at most is paid by what is left, or nothing is asked.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { StudioBrief } from '#contract/studio/studio-brief.ts';
import type { StudioRunsRow } from '#db/tables.ts';
import { newId } from '../../../kernel/ids.ts';
import { putCredential } from '../../../money/llm/put.ts';
import { credential, modelWorld, type ModelWorld, PRICE } from '../../../money/llm/test/models.ts';
import { studioRunSpending } from '../spent.ts';
import { askStudioModel } from './ask.ts';

let world: ModelWorld;
beforeAll(async () => void (world = await modelWorld()));
afterAll(() => world.close());

const MICROS_A_TOKEN = 1_000;
const BUDGET_MICROS = 1_500_000;

test('answers are bought within the budget of the brief, shorter ones as it runs out, and none that it does not pay', async () => {
  const ada = await world.user('ada');
  const price = { ...PRICE, output_micros_per_mtok: MICROS_A_TOKEN * 1_000_000 };
  await putCredential(ada, credential(world.vendor, { price }));
  const brief = StudioBrief.parse({ name: 'made', goal: 'Count the words of a text', budget_cents: 150, model: {} });
  // Safe: the columns that it looks at.
  const run = { run_id: newId('std'), owner_id: ada.actor.user_id, brief, model: 'm-1' } as unknown as StudioRunsRow;
  const ask = () => askStudioModel(ada, run, { messages: [{ role: 'user', text: 'Write it' }], tools: [], signal: new AbortController().signal });
  const before = world.vendor.asked.length;
  for (let asked = 0; ; asked += 1) {
    const left = BUDGET_MICROS - (await studioRunSpending(ada.db, run.run_id));
    const refused = await ask().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (refused !== undefined) {
      expect(refused).toMatchObject({ code: 'studio_over_budget' });
      expect(world.vendor.asked).toHaveLength(before + asked);
      expect(asked).toBeGreaterThan(5);
      break;
    }
    const body = world.vendor.asked.at(-1)?.body;
    const most = Number(body?.max_tokens ?? body?.max_completion_tokens ?? Infinity);
    expect(most * MICROS_A_TOKEN).toBeLessThanOrEqual(left);
  }
  const spent = await studioRunSpending(ada.db, run.run_id);
  expect(spent).toBeGreaterThan(0);
  expect(spent).toBeLessThanOrEqual(BUDGET_MICROS);
});
