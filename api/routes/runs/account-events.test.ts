// The stream of an account: what changed, by kind and id, of no other account; who comes back gets what it
// missed.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_ACCOUNT_STREAMS } from '#contract/runs/account-events.ts';
import { createJob } from '#core/jobs/create.ts';
import { transitionJob } from '#core/jobs/transition.ts';
import { inTx } from '#core/kernel/tx.ts';
import { createWorld, type Who, type World } from '#test/api/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ serving: true });
});
afterAll(() => world.close());

interface Heard {
  id: string;
  kind: string;
  of: string | null;
}

/** Reads until `stop`; `heard` grows. */
async function listen(who: Who, lastId?: string) {
  const gone = new AbortController();
  const headers = { authorization: `Bearer ${world.tokens[who]}`, ...(lastId !== undefined && { 'last-event-id': lastId }) };
  const response = await fetch(`${world.url}/v1/me/events`, { headers, signal: gone.signal });
  const heard: Heard[] = [];
  const reading = readInto(heard, response).catch(() => undefined);
  return {
    status: response.status,
    heard,
    until: (found: (heard: readonly Heard[]) => boolean) => expect.poll(() => found(heard), { timeout: 20_000 }).toBe(true),
    async stop() {
      gone.abort();
      await reading;
    },
  };
}

async function readInto(heard: Heard[], { body }: Response): Promise<void> {
  let text = '';
  for await (const chunk of body ?? []) {
    text += new TextDecoder().decode(chunk, { stream: true });
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) {
      const [, id = '', data = ''] = /^id: (.*)\nevent: .*\ndata: (.*)$/m.exec(frame) ?? [];
      if (data === '') continue;
      const { kind, id: of } = JSON.parse(data);
      heard.push({ id, kind, of });
    }
  }
}

const idOf = async (who: Who): Promise<string> => (await world.as(who).auth.session()).user?.user_id ?? '';
const make = async (who: Who): Promise<string> => {
  const ownerId = await idOf(who);
  return inTx(world.ctx, (ctx) => createJob(ctx, { kind: 'run', title: 'Work', ownerId }));
};
const of = (id: string) => (heard: readonly Heard[]) => heard.some((one) => one.of === id);

test('an account gets events of its own jobs, waits and agents only', async () => {
  const [ada, ben] = [await listen('ada'), await listen('ben')];
  await Promise.all([ada, ben].map((one) => one.until((heard) => heard[0]?.kind === 'reset')));
  const [hers, his] = [await make('ada'), await make('ben')];
  await transitionJob(world.ctx.db, hers, { from: ['queued'], to: 'running' });
  const { name = '', question_id = '' } = world.records;
  await world.ctx.db('agents').where({ name }).update({ description: 'Another one' });
  await world.ctx.db('agents').where({ name }).increment('call_count');
  await world.ctx.db('waits').where({ wait_id: question_id }).update({ state: 'cancelled', resolved_at: new Date() });
  // What comes last is there: so is what came before.
  const last = await make('ada');
  await ada.until(of(last));
  await ben.until(of(his));
  expect(ada.heard.map(({ kind, of: id }) => [kind, id])).toEqual([
    ['reset', null],
    ['job', hers],
    ['job', hers],
    ['agent', name],
    ['wait', question_id],
    ['job', last],
  ]);
  expect(ben.heard.map(({ of: id }) => id)).toEqual([null, his]);
  await Promise.all([ada.stop(), ben.stop()]);
});

test('who comes back with its last id gets what came since, once; with an id of elsewhere it reads everything anew', async () => {
  const first = await listen('ada');
  await first.until((heard) => heard.length === 1);
  const before = await make('ada');
  await first.until(of(before));
  await first.stop();
  const missed = [await make('ada'), await make('ada')];
  // The listener has heard of them.
  const other = await listen('ada');
  const now = await make('ada');
  await other.until(of(now));
  const again = await listen('ada', first.heard.at(-1)?.id);
  await again.until(of(now));
  expect(again.heard.map((one) => one.of)).toEqual([...missed, now]);
  for (const strange of ['0123456789ab.1', `${first.heard[0]?.id.split('.')[0]}.999`, 'x'.repeat(5000), '-1']) {
    const anew = await listen('ada', strange);
    await anew.until((heard) => heard[0]?.kind === 'reset');
    await anew.stop();
  }
  await Promise.all([other.stop(), again.stop()]);
});

test('who is too far behind reads everything anew', async () => {
  const first = await listen('ada');
  await first.until((heard) => heard.length === 1);
  const ids: string[] = [];
  for (let n = 0; n < 101; n += 1) ids.push(await make('ada'));
  await first.until(of(ids.at(-1) ?? ''));
  const late = await listen('ada', first.heard[0]?.id);
  await late.until((heard) => heard.length === 1);
  expect(late.heard[0]).toEqual({ id: first.heard.at(-1)?.id, kind: 'reset', of: null });
  await Promise.all([first.stop(), late.stop()]);
});

test('an account has so many streams and no more, and another one has its own', async () => {
  const { accounts } = world.ctx.drivers.wakeups;
  const ada = await idOf('ada');
  await expect.poll(() => accounts.readers(ada)).toBe(0);
  const all = await Promise.all(Array.from({ length: MAX_ACCOUNT_STREAMS }, () => listen('ada')));
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
  const [refused, ben] = [await listen('ada'), await listen('ben')];
  expect([refused.status, ben.status]).toEqual([409, 200]);
  await Promise.all([...all, refused, ben].map((one) => one.stop()));
  await expect.poll(() => accounts.readers(ada)).toBe(0);
});
