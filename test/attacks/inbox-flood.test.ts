// Somebody calls an agent that asks its owner, again and again: the owner's inbox stays usable, and nobody
// else is kept out.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientOf, type Client } from '#contract/client.ts';
import { runContext } from '#contract/run/run-context.ts';
import { mintRunCredential } from '#core/runs/run/credential.ts';
import { MAX_OPEN_OF_CALLER } from '#core/pauses/wait/bounds.ts';
import { createWorld, type World } from '../api/world.ts';
import { liveAgent, type LiveAgent, runOf } from '../support/runs.ts';
import { addUser } from '../support/verbs.ts';

let world: World;
let owner: string;
let desk: LiveAgent;
beforeAll(async () => {
  world = await createWorld();
  owner = (await world.ctx.db('users').where('email', 'like', 'ada-%').first('user_id'))?.user_id ?? '';
  desk = await liveAgent(world.ctx, owner, { visibility: 'public' });
});
afterAll(() => world.close());

/** Each question by a run of its own: what one run may ask is bounded anyway. */
async function ask(caller: string | null, of: 'owner' | 'caller' = 'owner', agent = desk): Promise<string> {
  const run = runOf(world.ctx, agent, caller);
  const token = await mintRunCredential(world.ctx.drivers.vault, run.actor, Date.now() + 60_000);
  const as: Client<{ runContext: typeof runContext }> = clientOf({ runContext }, { baseUrl: world.url, token });
  const question_id = `qst_${randomUUID()}`;
  await as.runContext.ask({ body: { question_id, prompt: 'Approve?', timeout_seconds: 600, of } });
  return question_id;
}
const full = { status: 409, detail: { code: 'inbox_full' } };

test.each([
  ['an account', () => addUser(world.ctx.db)],
  ['callers who are not signed in', () => Promise.resolve(null)],
])('%s has so many open questions to the owner, however many calls come at once, and more once some are answered', async (_who, callerOf) => {
  const caller = await callerOf();
  const sent = await Promise.allSettled(Array.from({ length: MAX_OPEN_OF_CALLER + 10 }, () => ask(caller)));
  const asked = sent.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  expect(asked).toHaveLength(MAX_OPEN_OF_CALLER);
  for (const one of sent) if (one.status === 'rejected') expect(one.reason).toMatchObject(full);
  await world.as('ada').chat.answerQuestion({ params: { question_id: asked[0] ?? '' }, body: { answer: 'no' } });
  await ask(caller);
  await expect(ask(caller)).rejects.toMatchObject(full);
});

test('others, other agents and the owner ask on', async () => {
  const mallory = await addUser(world.ctx.db);
  for (let n = 0; n < MAX_OPEN_OF_CALLER; n += 1) await ask(mallory);
  await expect(ask(mallory)).rejects.toMatchObject(full);
  await ask(mallory, 'caller');
  await ask(await addUser(world.ctx.db));
  await ask(mallory, 'owner', await liveAgent(world.ctx, owner, { visibility: 'public' }));
  for (let n = 0; n <= MAX_OPEN_OF_CALLER; n += 1) await ask(owner);
});
