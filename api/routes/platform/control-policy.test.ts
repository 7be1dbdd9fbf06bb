// What operators allow accounts, over HTTP, and in a second process that has its own memory of what it looked
// up.
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { admitCall } from '#core/runs/call/account-limit.ts';
import { beginFiring } from '#core/conversation/schedule/begin.ts';
import { createAuthenticator } from '#core/identity/authenticate.ts';
import { createSession } from '#core/identity/session/create.ts';
import { mintRunCredential } from '#core/runs/run/credential.ts';
import { startRun } from '#core/runs/durable/start.ts';
import { resolveRoute } from '#core/agents/route/resolve.ts';
import { inTx } from '#core/kernel/tx.ts';
import { newId } from '#core/kernel/ids.ts';
import { createPool } from '#db/pool.ts';
import { LoginError } from '#drivers/idp/port.ts';
import { liveAgent, runOf } from '#test/support/runs.ts';
import { verifies } from '#test/spec/verifies.ts';
import { createWorld, type World } from '#test/api/world.ts';

const FREE = {
  suspended: false,
  may_deploy: true,
  may_publish: true,
  may_call_external: true,
  limits: { agents: null, schedules: null, concurrent_runs: null, calls_per_minute: null },
  reason: '',
};

let world: World;
let user_id: string;
let name: string;
/** Another process of the API: a pool and an authenticator of its own. */
let other: ReturnType<typeof createAuthenticator>;
let otherDb: ReturnType<typeof createPool>;
beforeAll(async () => {
  world = await createWorld({ serving: true });
  user_id = world.records['user_id'] ?? '';
  name = world.records['name'] ?? '';
  otherDb = createPool({ connectionString: world.databaseUrl });
  const accessTokens = { verify: () => Promise.reject(new LoginError('invalid', 'none here')) };
  other = createAuthenticator({ db: otherDb, vault: world.ctx.drivers.vault, clock: Date.now, accessTokens });
});
afterAll(async () => {
  await otherDb.destroy();
  await world.close();
});

const admin = () => world.as('operator').admin;
async function put(change: Partial<Omit<typeof FREE, 'limits'>> & { limits?: Partial<typeof FREE.limits> | object }, of = user_id) {
  const { version } = await admin().controlPolicy({ params: { user_id: of } });
  const limits = { ...FREE.limits, ...change.limits };
  return admin().putControlPolicy({ params: { user_id: of }, body: { ...FREE, ...change, limits, version } });
}
const elsewhere = (token: string) => other({ authorization: `Bearer ${token}`, cookies: {} });
const refused = (code: string, status = 403) => expect.objectContaining({ status, code });

verifies('admin.controlPolicy', 'an account without a policy may do everything; an unknown one answers 404; only operators see it', async () => {
  expect(await admin().controlPolicy({ params: { user_id } })).toEqual({ user_id, ...FREE, version: 0, updated_at: null, updated_by: null });
  await expect(admin().controlPolicy({ params: { user_id: 'usr_none' } })).rejects.toEqual(refused('user_not_found', 404));
  await expect(world.as('ada').admin.controlPolicy({ params: { user_id } })).rejects.toMatchObject({ status: 403 });
});

verifies('admin.putControlPolicy', 'a suspended account is out everywhere, in other processes within two seconds, and back again afterwards', async () => {
  const { ctx } = world;
  const agent = await liveAgent(ctx, user_id);
  const { actor } = runOf(ctx, agent, user_id);
  const run = await mintRunCredential(ctx.drivers.vault, actor, Date.now() + 60_000);
  const session = await inTx(ctx, (ctx) => createSession(ctx, { userId: user_id, replaces: undefined }));
  const browser = () => other({ authorization: undefined, cookies: { '__Host-svc_session': session.token } });
  const tokens = [world.tokens.ada, world.tokens.agent, run];
  // Looked up a moment ago, so that the other process remembers them.
  for (const token of tokens) expect(await elsewhere(token)).not.toHaveProperty('denied');
  expect(await browser()).toMatchObject({ kind: 'user', user_id });
  expect(await resolveRoute(ctx, agent.name)).toBeDefined();

  await put({ suspended: true, reason: 'spam' });
  await expect(world.as('ada').auth.me({})).rejects.toEqual(refused('account_suspended'));
  // Two seconds pass, in this moment.
  const now = performance.now.bind(performance);
  const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 2_000);
  onTestFinished(() => later.mockRestore());
  for (const token of tokens) await expect(elsewhere(token)).rejects.toMatchObject({ code: 'account_suspended' });
  await expect(browser()).rejects.toMatchObject({ code: 'account_suspended' });
  // Its agents cannot be called either.
  expect(await resolveRoute(ctx, agent.name)).toBeUndefined();

  await put({});
  expect(await world.as('ada').auth.me({})).toMatchObject({ user_id });
  expect(await resolveRoute(ctx, agent.name)).toBeDefined();
});

verifies('admin.putControlPolicy', 'a write of an older version, and suspending oneself, are refused; each change is noted with what changed', async () => {
  const before = await admin().controlPolicy({ params: { user_id } });
  const made = await put({ may_publish: false, limits: { agents: 3 }, reason: 'trial' });
  expect(made).toMatchObject({ may_publish: false, version: before.version + 1, limits: { agents: 3, schedules: null } });
  const stale = admin().putControlPolicy({ params: { user_id }, body: { ...FREE, version: before.version } });
  await expect(stale).rejects.toEqual(refused('version_conflict', 409));
  const last = await world.ctx.db('audit_log').where({ action: 'control_policy.put', target_id: user_id }).orderBy('audit_id', 'desc').first();
  expect(last?.details).toEqual({
    version: made.version,
    changed: { may_publish: { from: true, to: false }, agents: { from: null, to: 3 }, reason: { from: '', to: 'trial' } },
  });
  const me = await world.as('operator').auth.me({});
  await expect(put({ suspended: true }, me.user_id)).rejects.toEqual(refused('own_account', 409));
  await put({});
});

test('of racing writes of one version one is stored', async () => {
  const { version } = await admin().controlPolicy({ params: { user_id } });
  const all = await Promise.allSettled(
    Array.from({ length: 20 }, (_, n) => admin().putControlPolicy({ params: { user_id }, body: { ...FREE, reason: `try ${n}`, version } })),
  );
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect((await admin().controlPolicy({ params: { user_id } })).version).toBe(version + 1);
});

test('what is forbidden is refused by name, and the rest goes on', async () => {
  const ada = world.as('ada');
  await put({ may_deploy: false, may_publish: false });
  await expect(ada.agents.setVisibility({ params: { name }, body: { visibility: 'public' } })).rejects.toEqual(refused('not_permitted'));
  expect(await ada.agents.setVisibility({ params: { name }, body: { visibility: 'unlisted' } })).toMatchObject({ name });
  const deploys = await fetch(`${world.url}/v1/agents/from-tarball`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.tokens.ada}` },
    body: new FormData(),
  });
  expect(await deploys.json()).toMatchObject({ detail: { code: 'not_permitted' } });
  await put({});
  expect(await ada.agents.setVisibility({ params: { name }, body: { visibility: 'public' } })).toMatchObject({ visibility: 'public' });
});

test('an account that may not call others calls its own agents alone', async () => {
  const { ctx } = world;
  const ben = await ctx.db('users').where('email', 'like', 'ben%').first();
  const benId = ben?.user_id ?? '';
  await put({ may_call_external: false }, benId);
  const theirs = await resolveRoute(ctx, name);
  const own = await liveAgent(ctx, benId);
  const mine = await resolveRoute(ctx, own.name);
  if (!theirs || !mine) throw new Error('both are live');
  const actor = { kind: 'user', user_id: benId, email: 'ben', operator: false, via: 'bearer' } as const;
  await expect(admitCall(ctx.db, actor, theirs, Date.now())).rejects.toMatchObject({ code: 'not_permitted' });
  await expect(admitCall(ctx.db, runOf(ctx, own, null).actor, theirs, Date.now())).rejects.toMatchObject({ code: 'not_permitted' });
  await admitCall(ctx.db, actor, mine, Date.now());
  const call = () => world.as('ben').agents.invoke({ params: { name, skill_name: 'greet' }, body: { name: 'Bo' } });
  await expect(call()).rejects.toEqual(refused('not_permitted'));
  const started = inTx(ctx, (ctx) => startRun(ctx, { userId: benId, agent: name, skill: 'greet', args: { name: 'Bo' } }));
  await expect(started).rejects.toMatchObject({ code: 'not_permitted' });
  await put({}, benId);
  await call();
});

test('of 100 racing calls an account with 7 a minute makes 7; the next minute it may again', async () => {
  const { ctx } = world;
  await put({ limits: { calls_per_minute: 7 } });
  const route = await resolveRoute(ctx, name);
  if (!route) throw new Error('it is live');
  const actor = { kind: 'user', user_id, email: 'ada', operator: false, via: 'bearer' } as const;
  const calls = (now: number) => Promise.allSettled(Array.from({ length: 100 }, () => admitCall(ctx.db, actor, route, now)));
  const began = Date.now();
  for (const now of [began, began + 61_000]) {
    const all = await calls(now);
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(7);
    expect(all.find((one) => one.status === 'rejected')).toMatchObject({
      reason: { code: 'call_limit', details: { retry_after_seconds: expect.any(Number) } },
    });
  }
  // Two in any minute: also in one that begins in the middle of a minute of the clock.
  await put({ limits: { calls_per_minute: 2 } });
  const edge = Math.ceil((began + 200_000) / 60_000) * 60_000;
  const outcomes: string[] = [];
  for (const at of [-59_000, -1_000, 500, 1_500, 2_000, 61_000])
    outcomes.push(await admitCall(ctx.db, actor, route, edge + at).then(
      () => 'called',
      (error: { details?: { retry_after_seconds?: number } }) => `in ${error.details?.retry_after_seconds} s`,
    )); // prettier-ignore
  expect(outcomes).toEqual(['called', 'called', 'in 2 s', 'in 1 s', 'called', 'called']);
  await put({ limits: { calls_per_minute: 0, concurrent_runs: 0, schedules: 0 } });
  await expect(world.as('ada').agents.invoke({ params: { name, skill_name: 'greet' }, body: { name: 'Bo' } })).rejects.toEqual(refused('call_limit', 429));
  const started = inTx(ctx, (ctx) => startRun(ctx, { userId: user_id, agent: name, skill: 'greet', args: { name: 'Bo' } }));
  await expect(started).rejects.toMatchObject({ code: 'too_many_runs' });
  await put({});
});

test("a suspended owner's schedule does not fire, and its history says so", async () => {
  const { ctx } = world;
  const { schedule_id } = await world
    .as('ada')
    .schedules.create({ body: { cron: '0 9 * * *', time_zone: 'UTC', target: { kind: 'skill', agent: name, skill: 'greet', args: { name: 'A' } } } });
  await put({ suspended: true });
  const firing_id = newId('req');
  const due = { schedule_id, firing_id, due_at: Date.now(), made_at: Date.now() };
  expect(await beginFiring(ctx, due)).toBe('missed');
  await put({});
  // Sent again: what is settled stays.
  expect(await beginFiring(ctx, due)).toBe('missed');
  const { items } = await world.as('ada').schedules.list({ query: {} });
  const shown = items.find((one) => one.schedule_id === schedule_id);
  expect(shown).toMatchObject({ paused: false, last_run: { state: 'missed', error: { code: 'account_suspended' } }, failures_in_a_row: 0 });
  expect(await beginFiring(ctx, { ...due, firing_id: newId('req') })).toBe('running');
});
