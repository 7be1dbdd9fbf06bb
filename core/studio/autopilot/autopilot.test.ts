// What becomes of proposals, who may do what, and the days of an account.
import { expect, test } from 'vitest';
import type { OrganizationRole } from '#contract/states.ts';
import { cites } from '#test/spec/verifies.ts';
import type { TestUser } from '#test/support/context.ts';
import { countCalls } from '../../evidence/insights/count-calls.ts';
import { newId } from '../../kernel/ids.ts';
import { autopilotDays } from './days.ts';
import { decideProposal, type StartEdit } from './decide.ts';
import { runAutopilot } from './look.ts';
import { listProposals, readProposal } from './proposal.ts';
import { readAutopilot, setAutopilot } from './runtime.ts';
import { NOW, ada, agent, at, ben, calls, commit, decide, finding, looked, noEdit, only, shown, stateOf, t, useWorld } from './test/world.ts';
import { MOST_AGENTS, OLD_FINDING_DAYS, PROPOSAL_DAYS, QUIET_DAYS, UNUSED_DAYS } from './thresholds.ts';

useWorld();

test(
  'a second look proposes nothing twice, two at once neither; a cause that is gone, or a time that is over, expires it',
  cites('agentStudio.lookNow'),
  async () => {
    const id = await finding('critical', 0);
    await countCalls(t.ctx);
    const both = await Promise.all([runAutopilot(at(ada)), runAutopilot(at(ada))]);
    expect(both.flatMap(({ created }) => created)).toHaveLength(1);
    const [first] = both.flatMap(({ created }) => created);
    expect(await readAutopilot(at(ada))).toMatchObject({ open_proposals: 1, enabled: false, last_day: null });
    const late = at(ada, PROPOSAL_DAYS + 1);
    expect(await readProposal(late, { proposal_id: first?.proposal_id ?? '' })).toMatchObject({ state: 'expired' });
    expect((await listProposals(late, { limit: 10, state: 'open' })).items).toEqual([]);
    expect((await listProposals(late, { limit: 10, state: 'expired' })).items).toHaveLength(1);
    await expect(decide(first?.proposal_id ?? '', 'accept', PROPOSAL_DAYS + 1)).rejects.toMatchObject({ code: 'studio_proposal_decided' });
    const second = await looked(PROPOSAL_DAYS + 1);
    expect(second).toMatchObject({ created: [{ category: 'findings' }], expired: 1 });
    await t.ctx.db('agent_findings').where({ finding_id: id }).update({ state: 'answered', answer: 'fixed', answered_at: new Date() });
    expect(await looked(PROPOSAL_DAYS + 1)).toMatchObject({ created: [], expired: 1 });
    expect((await listProposals(late, { limit: 10, state: 'all' })).items.map(({ reason }) => reason)).toEqual(['Its cause is gone', 'Its time is over']);
  },
);

test('an agent that no longer serves takes its proposals along', async () => {
  await finding('critical', 0);
  expect(shown(await looked())).toEqual(['findings critical']);
  await t.ctx.db('agents').where({ agent_id: agent.id }).update({ live_deploy_id: null });
  expect(await looked()).toMatchObject({ looked_at: 0, created: [], expired: 1 });
});

test('what was rejected stays away for a month, unless it is worse', async () => {
  await calls(100, { daysAgo: 8 });
  await calls(80);
  await calls(20, { code: 'agent_timeout' });
  const found = await only(looked());
  expect(await decideProposal(at(ada), { proposal_id: found.proposal_id, decision: 'reject', reason: 'We know' }, noEdit)).toMatchObject({ state: 'rejected', reason: 'We know', run_id: null, decided_at: new Date(NOW).toISOString() }); // prettier-ignore
  await expect(decide(found.proposal_id, 'accept')).rejects.toMatchObject({ code: 'studio_proposal_decided' });
  expect(shown(await looked(1))).toEqual([]);
  await calls(100, { code: 'agent_timeout' });
  expect(shown(await looked(1))).toEqual(['failures critical']);
  const old = await finding('warning', OLD_FINDING_DAYS + 1);
  const [rejected] = (await looked(1)).created;
  await decide(rejected?.proposal_id ?? '', 'reject');
  expect(shown(await looked(2))).toEqual([]);
  expect((await looked(QUIET_DAYS.rejected + 1)).created.filter(({ category }) => category === 'findings')).toMatchObject([{ evidence: [{ id: old }, {}] }]);
});

test(
  'accepting is refused once the source has changed, and proposed anew then; a run of the studio is started with it, or neither',
  cites('agentStudio.decide'),
  async () => {
    await commit('one');
    await finding('critical', 0);
    const first = await only(looked());
    await commit('two');
    await expect(decide(first.proposal_id, 'accept')).rejects.toMatchObject({ code: 'studio_proposal_stale' });
    expect(await stateOf(first.proposal_id)).toBe('open');
    const second = await only(looked());
    expect(await stateOf(first.proposal_id)).toBe('expired');
    const carry_out = { budget_cents: 500, review: 'standard' as const, model: {} };
    const wanted = { proposal_id: second.proposal_id, decision: 'accept' as const, reason: '', carry_out };
    await expect(decideProposal(at(ada), wanted, noEdit)).rejects.toThrow('nothing was to be started');
    expect(await stateOf(second.proposal_id)).toBe('open');
    const started: Parameters<StartEdit>[1][] = [];
    const startEdit: StartEdit = async (ctx, i) => {
      started.push(i);
      const memory_id = newId('tmm');
      await ctx.db('team_memories').insert({ memory_id, owner_id: ada.actor.user_id, kind: 'lesson', about: i.agent, text: i.goal, sources: [], created_at: new Date(ctx.clock()) }); // prettier-ignore
      return memory_id;
    };
    const accepted = await decideProposal(at(ada), wanted, startEdit);
    expect(accepted).toMatchObject({ state: 'accepted', run_id: expect.stringContaining('tmm_') });
    expect(started).toMatchObject([{ agent: agent.name, carry_out, proposal_id: second.proposal_id }]);
    expect(started[0]?.goal.length).toBeGreaterThan(11);
    expect(await t.ctx.db('team_memories').where({ memory_id: accepted.run_id ?? '' })).toHaveLength(1);
    // It is not proposed again as soon as it was accepted.
    expect(shown(await looked(1))).toEqual([]);
    expect(await t.ctx.db('audit_log').where({ action: 'proposal.decide', target_id: second.proposal_id })).toHaveLength(1);
  },
);

test('no edit is started for what no edit does', async () => {
  const { created } = await looked(UNUSED_DAYS + 1);
  const wanted = { proposal_id: created[0]?.proposal_id ?? '', decision: 'accept' as const, reason: '' };
  const carry_out = { budget_cents: 500, review: 'light' as const, model: {} };
  const later = at(ada, UNUSED_DAYS + 1);
  await expect(decideProposal(later, { ...wanted, carry_out }, noEdit)).rejects.toMatchObject({ code: 'studio_proposal_not_editable' });
  expect(await decideProposal(later, wanted, noEdit)).toMatchObject({ state: 'accepted', run_id: null });
});

test('an agent of another place has no source here; while source hosting does not answer nothing of an agent changes', async () => {
  await t.ctx.db('agents').where({ agent_id: agent.id }).update({ kind: 'imported' });
  await finding('critical', 0);
  expect(await only(looked())).toMatchObject({ source_head_sha: null });
  await t.ctx.db('agents').where({ agent_id: agent.id }).update({ kind: 'hosted' });
  await t.ctx.db('agent_findings').where({ agent_id: agent.id }).delete();
  const scm = { ...t.ctx.drivers.scm, head: () => Promise.reject(new Error('down')) };
  const down = { ...at(ada), drivers: { ...t.ctx.drivers, scm } };
  expect(await runAutopilot(down)).toEqual({ looked_at: 0, created: [], expired: 0 });
  const [open] = (await listProposals(down, { limit: 1, state: 'open' })).items;
  await expect(decideProposal(down, { proposal_id: open?.proposal_id ?? '', decision: 'accept', reason: '' }, noEdit)).rejects.toMatchObject({ code: 'source_hosting_down' }); // prettier-ignore
});

test('another account sees nothing of it, an auditor may read and not decide', cites('agentStudio.proposal'), async () => {
  await finding('critical', 0);
  const { proposal_id } = await only(looked());
  expect(await runAutopilot(at(ben))).toEqual({ looked_at: 0, created: [], expired: 0 });
  expect((await listProposals(at(ben), { limit: 10, state: 'all' })).items).toEqual([]);
  await expect(readProposal(at(ben), { proposal_id })).rejects.toMatchObject({ code: 'studio_proposal_not_found' });
  await expect(decideProposal(at(ben), { proposal_id, decision: 'reject', reason: '' }, noEdit)).rejects.toMatchObject({ code: 'studio_proposal_not_found' });
  const as = (role: OrganizationRole): TestUser => {
    const member = { member_id: 'mem_1', organization_id: ada.actor.user_id, slug: 'acme', role, person_id: ben.actor.user_id };
    return at({ ...ada, actor: { ...ben.actor, user_id: ada.actor.user_id, member } });
  };
  expect((await listProposals(as('auditor'), { limit: 10, state: 'open', agent: agent.name })).items).toMatchObject([{ proposal_id }]);
  const refused = { code: 'role_not_allowed' };
  await expect(decideProposal(as('auditor'), { proposal_id, decision: 'reject', reason: '' }, noEdit)).rejects.toMatchObject(refused);
  await expect(runAutopilot(as('operator'))).rejects.toMatchObject(refused);
  await expect(setAutopilot(as('developer'), { enabled: true, daily_hour: 9, time_zone: 'UTC' })).rejects.toMatchObject(refused);
  expect(await decideProposal(as('developer'), { proposal_id, decision: 'reject', reason: '' }, noEdit)).toMatchObject({ state: 'rejected' });
});

test('lists come in pages, newest first', cites('agentStudio.proposals'), async () => {
  await finding('critical', 0);
  await looked();
  await looked(UNUSED_DAYS + 1);
  const page = await listProposals(at(ada, UNUSED_DAYS + 1), { limit: 1, state: 'all' });
  expect(page.next_cursor).not.toBeNull();
  const rest = await listProposals(at(ada, UNUSED_DAYS + 1), { limit: 10, state: 'all', cursor: page.next_cursor ?? '' });
  expect(new Set([...page.items, ...rest.items].map(({ proposal_id }) => proposal_id)).size).toBe(3);
  expect(rest.next_cursor).toBeNull();
});

test(
  'a day comes once, from its hour on, in its time zone, and only where it is switched on',
  cites('agentStudio.autopilot', 'agentStudio.setAutopilot'),
  async () => {
    await finding('critical', 0);
    await countCalls(t.ctx);
    const when = (text: string) => ({ ...t.ctx, clock: () => Date.parse(text) });
    await setAutopilot(ada, { enabled: false, daily_hour: 9, time_zone: 'America/New_York' });
    expect(await autopilotDays(when('2027-03-01T20:00:00Z'))).toBe(0);
    expect(await setAutopilot(ada, { enabled: true, daily_hour: 9, time_zone: 'America/New_York' })).toMatchObject({ enabled: true, daily_hour: 9 });
    expect(await autopilotDays(when('2027-03-01T13:30:00Z'))).toBe(0);
    const both = await Promise.all([autopilotDays(when('2027-03-01T14:30:00Z')), autopilotDays(when('2027-03-01T14:30:00Z'))]);
    expect(both[0] + both[1]).toBe(1);
    expect(await readAutopilot({ ...ada, clock: () => Date.parse('2027-03-01T15:00:00Z') })).toMatchObject({ last_day: '2027-03-01' });
    expect(await autopilotDays(when('2027-03-02T04:30:00Z'))).toBe(0);
    expect(await autopilotDays(when('2027-03-02T14:30:00Z'))).toBe(1);
    await setAutopilot(ada, { enabled: false, daily_hour: 9, time_zone: 'UTC' });
  },
);

test('many agents take no more statements than a few, and no more are looked at than allowed', async () => {
  const statements = async (user: TestUser): Promise<[number, number]> => {
    let count = 0;
    const counting = (): void => void (count += 1);
    t.ctx.db.on('query', counting);
    const { looked_at, created } = await runAutopilot(at(user));
    t.ctx.db.off('query', counting);
    expect(created.length).toBe(looked_at);
    return [looked_at, count];
  };
  await finding('critical', 0);
  const [one, few] = await statements(ada);
  await t.ctx.db.raw(
    `with made as (
       insert into agents (agent_id, name, owner_id, kind, visibility) select 'agt_' || gen_random_uuid(), 'many-' || gen_random_uuid(), :owner, 'hosted', 'unlisted' from generate_series(1, :count::int)
       returning agent_id
     ), jobs_made as (
       insert into jobs (job_id, kind, state, title, owner_id, ended_at) select 'job_' || substr(agent_id, 5), 'deploy', 'succeeded', 'Deploy', :owner, now() from made
     ), deployed as (
       insert into deployments (deploy_id, agent_id, number, state, job_id, created_by, entrypoint, manifest, source_key, source_sha256, source_bytes)
         select 'dep_' || substr(agent_id, 5), agent_id, 1, 'live', 'job_' || substr(agent_id, 5), :owner, 'a:A', '{}', 'x', repeat('0', 64), 1 from made
     )
     insert into agent_findings (finding_id, agent_id, deploy_id, source, hash, severity, rule, title, message, confirmed, state, created_at)
       select 'fnd_' || substr(agent_id, 5), agent_id, 'dep_' || substr(agent_id, 5), 'review_loop', 'x', 'critical', 'x', 'x', 'x', true, 'open', now() from made`,
    { owner: ben.actor.user_id, count: MOST_AGENTS + 5 },
  );
  await t.ctx.db.raw(`update agents set live_deploy_id = 'dep_' || substr(agent_id, 5) where owner_id = ?`, [ben.actor.user_id]);
  const [all, many] = await statements(ben);
  expect([one, all]).toEqual([1, MOST_AGENTS]);
  expect(many).toBe(few);
  expect(many).toBeLessThan(20);
});
