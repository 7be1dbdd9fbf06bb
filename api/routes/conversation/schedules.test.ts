// Sentences about schedules, sessions, calls between agents and coordinators' memory, proven over HTTP
// through the typed client.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '#contract/client.ts';
import { SessionLine } from '#contract/wire/session.ts';
import { verifies } from '#test/spec/verifies.ts';
import { createWorld, type World } from '#test/api/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const refused = (status: number, code?: string) => expect.objectContaining({ status, ...(code === undefined ? {} : { code }) });
const name = (): string => world.records['name'] ?? '';
const target = () => ({ kind: 'skill' as const, agent: name(), skill: 'greet', args: { name: 'Ada' } });
const make = (more: object = {}) =>
  world.as('ada').schedules.create({ body: { cron: '30 9 * * mon-fri', time_zone: 'Europe/Berlin', target: target(), ...more } });

verifies('schedules.create', 'a schedule is kept, with its defaults, even while the scheduler is down, and says that it is not in effect yet', async () => {
  expect(await make()).toMatchObject({
    title: `${name()}.greet`,
    cron: '30 9 * * mon-fri',
    time_zone: 'Europe/Berlin',
    overlap: 'skip',
    catchup_window_seconds: 3600,
    jitter_seconds: 0,
    pause_on_failure: false,
    paused: false,
    target: target(),
    last_run: null,
    failures_in_a_row: 0,
    in_effect: false,
    next_times: null,
  });
});

verifies('schedules.create', 'what cannot be a schedule is refused, with the place of the mistake and what to write instead', async () => {
  for (const [body, path] of [
    [{ cron: '*/10 * * * * *' }, 'cron'],
    [{ cron: '61 * * * *' }, 'cron'],
    [{ cron: '0 0 31 2 *' }, 'cron'],
    [{ cron: '0 9 * * mon#6' }, 'cron'],
    [{ repeated_times: 'thrice' }, 'repeated_times'],
    [{ time_zone: 'Europe/Berlyn' }, 'time_zone'],
    [{ time_zone: '+01:00' }, 'time_zone'],
    [{ overlap: 'kill' }, 'overlap'],
    [{ catchup_window_seconds: 9 }, 'catchup_window_seconds'],
    [{ jitter_seconds: -1 }, 'jitter_seconds'],
    [{ target: { kind: 'prompt', prompt: '' } }, 'target'],
  ] as const) {
    const refusal = expect.objectContaining({ status: 422, message: expect.stringContaining(path) });
    await expect(make(body), JSON.stringify(body)).rejects.toEqual(refusal);
  }
  await expect(make({ target: { ...target(), agent: 'nobody-at-all' } })).rejects.toEqual(refused(404, 'agent_not_found'));
});

verifies('schedules.create', 'what the clock skips or shows twice is a setting with a default, and the schedule says what becomes of it', async () => {
  const berlin = { cron: '30 2 * * *', time_zone: 'Europe/Berlin' };
  const made = await make(berlin);
  expect(made).toMatchObject({ skipped_times: 'run_after', repeated_times: 'once' });
  const skipped = made.clock_changes.find(({ kind }) => kind === 'skipped');
  expect(skipped).toMatchObject({ count: 1, local_time: expect.stringMatching(/-03-\d\dT02:30$/), runs_at: [skipped?.at] });
  const { schedule_id } = made;
  const changed = await world.as('ada').schedules.update({ params: { schedule_id }, body: { skipped_times: 'leave_out', repeated_times: 'twice' } });
  expect(changed).toMatchObject({ ...berlin, skipped_times: 'leave_out', repeated_times: 'twice' });
  expect(changed.clock_changes.map(({ kind, runs_at }) => [kind, runs_at.length]).toSorted()).toEqual([
    ['repeated', 2],
    ['skipped', 0],
  ]);
  expect((await make({ ...berlin, cron: '30 * * * *' })).clock_changes).toEqual([]);
  await expect(make({ skipped_times: 'later' })).rejects.toEqual(refused(422));
});

test('a preview shows when a schedule would run, with what the clock skips and shows twice, and makes nothing', async () => {
  const ours = world.as('ada').schedules;
  const { schedules } = createClient({ baseUrl: world.url, token: world.tokens.ada });
  const before = (await ours.list({ query: { limit: 100 } })).items.length;
  const berlin = { cron: '*/30 2-5 * * *', time_zone: 'Europe/Berlin' };
  const spring = await schedules.preview({ query: { ...berlin, after: '2027-03-28T00:00:00Z', count: 3 } });
  expect(spring.next_times).toEqual(['2027-03-28T01:00:00.000Z', '2027-03-28T01:30:00.000Z', '2027-03-28T02:00:00.000Z']);
  expect(spring.clock_changes[0]).toEqual({
    kind: 'skipped',
    at: '2027-03-28T01:00:00.000Z',
    local_time: '2027-03-28T02:00',
    count: 2,
    runs_at: ['2027-03-28T01:00:00.000Z'],
  });
  const twice = await schedules.preview({
    query: { ...berlin, cron: '30 2 * * *', repeated_times: 'twice', after: '2027-10-31T02:00:00+02:00', count: 2 },
  });
  expect(twice.next_times).toEqual(['2027-10-31T00:30:00.000Z', '2027-10-31T01:30:00.000Z']);
  const rare = await schedules.preview({ query: { cron: '0 9 LW 2 *', after: '2027-02-26T09:00:00Z', count: 1 } });
  expect(rare.next_times).toEqual(['2028-02-29T09:00:00.000Z']);
  for (const query of [{ cron: '0 9 32W * *' }, { cron: '0 9 * * *', time_zone: 'Europe/Berlyn' }, { cron: '0 9 * * *', after: '0001-01-01T00:00:00Z' }]) {
    await expect(schedules.preview({ query }), JSON.stringify(query)).rejects.toEqual(refused(422));
  }
  expect((await ours.list({ query: { limit: 100 } })).items).toHaveLength(before);
});

verifies('schedules.update', 'what is left out stays as it is', async () => {
  const made = await make({ jitter_seconds: 5 });
  const { schedule_id } = made;
  const changed = await world.as('ada').schedules.update({ params: { schedule_id }, body: { paused: true, title: 'Mornings' } });
  expect(changed).toMatchObject({ title: 'Mornings', paused: true, paused_by: 'owner', jitter_seconds: 5, cron: made.cron, next_times: [] });
});

verifies('schedules.list', "an account's own, in pages", async () => {
  const ours = world.as('ada').schedules;
  const first = await ours.list({ query: { limit: 1 } });
  const second = await ours.list({ query: { limit: 1, cursor: first.next_cursor ?? '' } });
  expect(first.items[0]?.schedule_id).not.toBe(second.items[0]?.schedule_id);
  expect((await world.as('ben').schedules.list({})).items).toEqual([]);
});

verifies('schedules.remove', 'a deleted schedule is gone for its owner at once', async () => {
  const { schedule_id } = await make();
  await world.as('ada').schedules.remove({ params: { schedule_id } });
  await expect(world.as('ada').schedules.remove({ params: { schedule_id } })).rejects.toEqual(refused(404, 'schedule_not_found'));
  await expect(world.as('ada').schedules.run({ params: { schedule_id } })).rejects.toEqual(refused(404));
});

verifies('schedules.run', 'what cannot be run now says why', async () => {
  const { schedule_id } = await make();
  await expect(world.as('ada').schedules.run({ params: { schedule_id } })).rejects.toEqual(refused(409, 'agent_not_live'));
});

verifies('agentSessions.start', 'an agent that is not live begins no session; one that cannot be seen does not exist', async () => {
  const body = { skill: 'greet', args: {} };
  await expect(world.as('ada').agentSessions.start({ params: { name: name() }, body })).rejects.toEqual(refused(409, 'agent_not_live'));
  await expect(world.as('ben').agentSessions.start({ params: { name: name() }, body })).rejects.toEqual(refused(404, 'agent_not_found'));
});

verifies('agentSessions.list', "the caller's own sessions with the agent", async () => {
  const { items } = await world.as('ada').agentSessions.list({ params: { name: name() } });
  expect(items).toMatchObject([{ session_id: world.records['session_id'], agent: name(), skill: 'greet', state: 'succeeded' }]);
});

verifies('agentSessions.get', 'newline-delimited JSON: the header first, then the events, then the seal', async () => {
  const read = async (after: number): Promise<SessionLine[]> => {
    const response = await fetch(`${world.url}/v1/sessions/${world.records['session_id']}?after=${after}`, {
      headers: { authorization: `Bearer ${world.tokens.ada}` },
    });
    expect(response.headers.get('content-type')).toContain('application/x-ndjson');
    return (await response.text())
      .trim()
      .split('\n')
      .map((line) => SessionLine.parse(JSON.parse(line)));
  };
  expect((await read(0)).map(({ type }) => type)).toEqual(['svc.session.v1', 'event', 'event', 'seal']);
  expect((await read(1)).map(({ type }) => type)).toEqual(['svc.session.v1', 'event', 'seal']);
});

verifies('subagentRuns.list', "only calls on the caller's account", async () => {
  const own = [world.records['grants.revoke.grant_id'], world.records['grant_id']];
  const { items } = await world.as('ada').subagentRuns.list({ query: { agent: name() } });
  expect(items).toHaveLength(own.length);
  expect(items).toEqual(expect.arrayContaining(own.map((grant_id) => expect.objectContaining({ grant_id, source: 'reported' }))));
  expect((await world.as('ben').subagentRuns.list({})).items).toEqual([]);
});

verifies('subagentRuns.get', 'one call, by the grant it was made with', async () => {
  const grant_id = world.records['grant_id'] ?? '';
  expect(await world.as('ada').subagentRuns.get({ params: { grant_id } })).toMatchObject({ grant_id, agent: name(), state: 'running', can_rerun: false });
});

verifies('subagentRuns.track', 'a report needs the token of the grant; reporting twice is reporting once', async () => {
  const body = {
    grant: world.headers['svc-grant'] ?? '',
    skill: 'greet',
    state: 'succeeded' as const,
    started_at: '2026-01-02T03:04:05.006Z',
    ended_at: '2026-01-02T03:04:06.006Z',
  };
  const tracked = await world.as('ada').subagentRuns.track({ body });
  expect(tracked).toMatchObject({ state: 'succeeded', source: 'reported' });
  expect(await world.as('ada').subagentRuns.track({ body })).toEqual(tracked);
  await expect(world.as('ben').subagentRuns.track({ body })).rejects.toEqual(refused(403, 'grant_invalid'));
  await expect(world.as('ada').subagentRuns.track({ body: { ...body, state: 'failed' } })).rejects.toEqual(refused(409, 'call_reported_otherwise'));
  await expect(world.as('ada').subagentRuns.track({ body: { ...body, ended_at: null } })).rejects.toEqual(refused(422));
});

verifies('subagentRuns.rerun', 'a call whose arguments are not stored cannot be made again', async () => {
  const params = { grant_id: world.records['grant_id'] ?? '' };
  await expect(world.as('ada').subagentRuns.rerun({ params })).rejects.toEqual(refused(409, 'arguments_unknown'));
  await expect(world.as('ben').subagentRuns.rerun({ params })).rejects.toEqual(refused(404));
});

verifies('metaAgentRuns.create', 'a goal with its defaults', async () => {
  const made = await world.as('ada').metaAgentRuns.create({ params: { name: name() }, body: { goal: 'Ship it' } });
  expect(made).toMatchObject({ agent: name(), goal: 'Ship it', criteria: [], plan: {}, progress: {}, status: 'planning', version: 1, written_by: null });
  await expect(world.as('ada').metaAgentRuns.create({ params: { name: name() }, body: { goal: 'x', plan: { text: 'x'.repeat(70_000) } } })).rejects.toEqual(
    refused(422),
  );
});

verifies('metaAgentRuns.list', "the caller's with this agent", async () => {
  expect((await world.as('ada').metaAgentRuns.list({ params: { name: name() }, query: { state: 'open' } })).items.length).toBeGreaterThan(0);
  await expect(world.as('ben').metaAgentRuns.list({ params: { name: name() } })).rejects.toEqual(refused(404));
});

verifies('metaAgentRuns.get', 'what is remembered', async () => {
  const params = { name: name(), run_id: world.records['metaAgentRuns.get.run_id'] ?? '' };
  expect(await world.as('ada').metaAgentRuns.get({ params })).toMatchObject({ goal: 'Ship it', version: 1 });
});

verifies('metaAgentRuns.update', 'compare and set: a change of an older version is 409 and names the present one', async () => {
  const params = { name: name(), run_id: world.records['metaAgentRuns.update.run_id'] ?? '' };
  expect(await world.as('ada').metaAgentRuns.update({ params, body: { version: 1, progress: { done: 1 } } })).toMatchObject({
    version: 2,
    progress: { done: 1 },
  });
  await expect(world.as('ada').metaAgentRuns.update({ params, body: { version: 1, progress: {} } })).rejects.toEqual(refused(409, 'version_conflict'));
});
