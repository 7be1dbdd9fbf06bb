// Decisions of an organization that several of its members take: whose votes count, when they are enough,
// what the clock does.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { decodeReceipt } from '#contract/wire/receipt.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { inTx } from '#core/kernel/tx.ts';
import { delegateVotes, endDelegation } from '#core/orgs/approval/delegations.ts';
import { readApprovalPolicy } from '#core/orgs/approval/policy.ts';
import { hydrate } from '#core/orgs/compliance/records/hydrate.ts';
import { updateMember } from '#core/orgs/member/change.ts';
import { removeMember } from '#core/orgs/member/remove.ts';
import { PURGE_STEPS } from '#core/platform/purge/plan.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { listWaits } from '../inbox/list.ts';
import { endRun } from '../../runs/run/end.ts';
import { factsOfRow } from '../../runs/run/facts.ts';
import { succeeded } from '../../runs/run/outcome.ts';
import { resolutionOf } from '../wait/model.ts';
import { advanceApproval } from '../decision/advance.ts';
import { approvalPolicySha256 } from './policy.ts';
import { anew, approvalWorld, type Member, personId, votes, type World } from './test/world.ts';

let t: TestContext;
let w: World;
let ann: Member;
let bob: Member;
let cyd: Member;
let starter: Member;
beforeAll(async () => void (t = await testContext({ connections: 20 })));
afterAll(() => t.close());
beforeEach(async () => {
  w = await approvalWorld(t);
  [ann, bob, cyd, starter] = [
    await w.member('admin', 'ann'),
    await w.member('admin', 'bob'),
    await w.member('auditor', 'cyd'),
    await w.member('developer', 'starter'),
  ];
});

const code = (value: string) => expect.objectContaining({ code: value });
const row = async (id: string) => {
  const found = await t.ctx.db('waits').where({ wait_id: id }).first();
  if (!found) throw new Error('no wait');
  return found;
};
const later = (seconds: number): Ctx => ({ ...t.ctx, clock: () => Date.now() + seconds * 1000 });
const audited = (id: string) =>
  t.ctx.db('audit_log').where({ target_id: id }).orderBy(['at', 'audit_id']).select('action', 'actor_id', 'organization_id', 'details');
const soon = (seconds = 3_600): string => new Date(Date.now() + seconds * 1000).toISOString();

describe('any two of a role', () => {
  beforeEach(() => w.rules({ name: 'two-admins', approvers: { role: 'admin', need: 2 } }));

  test('the second approval decides, and the grant is made then', async () => {
    const { id } = await w.asks(starter);
    expect(await votes(ann, id)).toMatchObject({ state: 'pending', approval: { rule: 'two-admins', need: 2, approved: 1, voted: 'approve', may_vote: false } });
    expect(await row(id)).toMatchObject({ state: 'pending', resolution: null });
    expect(await votes(bob, id)).toMatchObject({ state: 'approved' });
    expect(await row(id)).toMatchObject({ state: 'approved', resolved_by: personId(bob) });
    expect(resolutionOf(await row(id)).grant_id).toMatch(/^grt_/);
    expect(await t.ctx.db('approval_votes').where({ wait_id: id }).orderBy('at').select('for_id', 'by_id', 'decision', 'counted')).toEqual(
      [ann, bob].map((one) => ({ for_id: personId(one), by_id: personId(one), decision: 'approve', counted: true })),
    );
  });

  test('one denial ends it', async () => {
    const { id } = await w.asks(starter);
    await votes(ann, id);
    expect(await votes(bob, id, 'deny', { reason: 'not today' })).toMatchObject({ state: 'denied' });
    expect(resolutionOf(await row(id))).toMatchObject({ reason: 'not today' });
    expect(await t.ctx.db('grants').where({ wait_id: id })).toEqual([]);
    await expect(votes(cyd, id)).rejects.toThrow(code('wait_resolved'));
  });

  test('who has approved may still deny, alone', async () => {
    const { id } = await w.asks(starter);
    await votes(ann, id);
    expect(await votes(ann, id, 'deny')).toMatchObject({ state: 'denied' });
  });

  test('a vote sent twice is one, in one request and in two', async () => {
    const { id } = await w.asks(starter);
    const same = anew(ann);
    const { decideScope } = await import('../decision/card.ts');
    const send = () => decideScope(same, { approval_id: id, decision: 'approve', reason: '' });
    expect(await send()).toMatchObject({ state: 'pending' });
    expect(await send()).toMatchObject({ state: 'pending' });
    expect(await votes(ann, id)).toMatchObject({ state: 'pending', approval: { approved: 1 } });
    expect(await t.ctx.db('approval_votes').where({ wait_id: id })).toHaveLength(1);
  });

  test('another role, who started it, another organization and a person for themselves decide nothing', async () => {
    const own = await w.member('admin', 'own');
    const { id } = await w.asks(own);
    await expect(votes(cyd, id)).rejects.toThrow(code('not_an_approver'));
    await expect(votes(own, id)).rejects.toThrow(code('four_eyes'));
    await expect(votes(own, id, 'deny')).rejects.toThrow(code('four_eyes'));
    const other = await approvalWorld(t);
    await expect(votes(await other.member('admin', 'other'), id)).rejects.toThrow(code('wait_not_found'));
    await expect(votes(await t.user('stranger'), id)).rejects.toThrow(code('wait_not_found'));
    // Without Svc-Organization one acts for oneself.
    await expect(votes({ ...ann, actor: { ...w.organization.owner.actor } }, id)).rejects.toThrow(code('wait_not_found'));
    expect(await row(id)).toMatchObject({ state: 'pending' });
  });

  test('of 50 votes at once each counts once, and the wait ends once', async () => {
    await w.rules({ name: 'five-operators', approvers: { role: 'operator', need: 5 } });
    const operators = await Promise.all(Array.from({ length: 25 }, (_, n) => w.member('operator', `op-${n}`)));
    const { id } = await w.asks(starter);
    const all = await Promise.allSettled([...operators, ...operators].map((one) => votes(one, id)));
    const states = all.map((one) => (one.status === 'fulfilled' ? one.value.state : one.reason.code));
    expect(
      states.filter((state) => state === 'pending').length +
        states.filter((state) => state === 'approved').length +
        states.filter((state) => state === 'wait_resolved').length,
    ).toBe(50);
    expect(await row(id)).toMatchObject({ state: 'approved' });
    const cast = await t.ctx.db('approval_votes').where({ wait_id: id });
    expect(cast).toHaveLength(5);
    expect(new Set(cast.map(({ by_id }) => by_id)).size).toBe(5);
    expect(await t.ctx.db('grants').where({ wait_id: id })).toHaveLength(1);
    expect((await audited(id)).filter(({ action }) => action === 'wait.approved')).toHaveLength(1);
  });

  test('of approvals and denials at once one outcome is written', async () => {
    await w.rules({ approvers: { role: 'operator', need: 3 } });
    const operators = await Promise.all(Array.from({ length: 20 }, (_, n) => w.member('operator', `op-${n}`)));
    const { id } = await w.asks(starter);
    await Promise.allSettled(operators.map((one, n) => votes(one, id, n % 4 === 3 ? 'deny' : 'approve')));
    const { state } = await row(id);
    const counted = await t.ctx.db('approval_votes').where({ wait_id: id, counted: true });
    expect(['approved', 'denied']).toContain(state);
    expect(counted.some(({ decision }) => decision === 'deny')).toBe(state === 'denied');
    expect((await audited(id)).filter(({ action }) => action === 'wait.approved' || action === 'wait.denied')).toHaveLength(1);
    expect(await t.ctx.db('grants').where({ wait_id: id })).toHaveLength(state === 'approved' ? 1 : 0);
  });
});

describe('people who are named', () => {
  test('all of them: but for who started it', async () => {
    await w.rules({ approvers: { people: [personId(ann), cyd.actor.email, personId(starter)] } });
    const { id } = await w.asks(starter);
    expect(await votes(ann, id)).toMatchObject({ state: 'pending', approval: { need: 2, missing: [{ user_id: personId(cyd), email: cyd.actor.email }] } });
    await expect(votes(bob, id)).rejects.toThrow(code('not_an_approver'));
    // Their role does not matter: an auditor decides nothing else.
    expect(await votes(cyd, id)).toMatchObject({ state: 'approved' });
  });

  test('any two of three', async () => {
    await w.rules({ approvers: { people: [personId(ann), personId(bob), personId(cyd)], need: 2 } });
    const { id } = await w.asks(starter);
    await votes(cyd, id);
    expect(await votes(ann, id)).toMatchObject({ state: 'approved' });
  });

  test('who started it counts where the rule says so', async () => {
    await w.rules({ approvers: { people: [personId(starter)] }, starter_may_count: true });
    const { id } = await w.asks(starter);
    expect(await votes(starter, id)).toMatchObject({ state: 'approved' });
  });
});

describe('members who leave or change', () => {
  beforeEach(() => w.rules({ approvers: { role: 'admin', need: 2 } }));
  const away = {
    removed: (one: Member) => removeMember(w.organization.owner, { slug: w.organization.slug, member_id: one.memberId }),
    suspended: (one: Member) => updateMember(w.organization.owner, { slug: w.organization.slug, member_id: one.memberId, state: 'suspended' }),
    'of another role': (one: Member) => updateMember(w.organization.owner, { slug: w.organization.slug, member_id: one.memberId, role: 'developer' }),
  };
  test.each(Object.entries(away))('the vote of a member who is %s does not count any more', async (_, leave) => {
    const { id } = await w.asks(starter);
    await votes(ann, id);
    await leave(ann);
    expect(await votes(bob, id)).toMatchObject({ state: 'pending', approval: { approved: 1 } });
    const third = await w.member('admin', 'third');
    expect(await votes(third, id)).toMatchObject({ state: 'approved' });
    const counted = await t.ctx.db('approval_votes').where({ wait_id: id, counted: true }).select('by_id');
    expect(counted.map(({ by_id }) => by_id).toSorted()).toEqual([personId(bob), personId(third)].toSorted());
  });

  test('an organization that is deleted meanwhile takes its waits along', async () => {
    const { id } = await w.asks(starter);
    await votes(ann, id);
    for (const { table, where, set } of PURGE_STEPS) {
      const some = `t.ctid in (select t.ctid from ${table} t where ${where})`;
      await t.ctx.db.raw(set === undefined ? `delete from ${table} t where ${some}` : `update ${table} t set ${set} where ${some}`, {
        user: w.organization.id,
      });
    }
    expect(await t.ctx.db('approval_votes').where({ organization_id: w.organization.id })).toEqual([]);
    expect(await t.ctx.db('approval_policies').where({ organization_id: w.organization.id })).toEqual([]);
    await expect(votes(bob, id)).rejects.toThrow(code('wait_not_found'));
    expect(await advanceApproval(t.ctx, id)).toEqual({ state: 'cancelled', tell: false });
  });
});

test('a rule that changes while a wait is open does not touch it', async () => {
  await w.rules({ name: 'old', approvers: { people: [personId(ann)] } });
  const { id } = await w.asks(starter);
  const before = await readApprovalPolicy(w.organization.owner, { slug: w.organization.slug });
  expect(before.sha256).toBe(approvalPolicySha256(before.version, before.rules));
  await w.rules({ name: 'new', approvers: { people: [personId(bob)] } });
  await expect(votes(bob, id)).rejects.toThrow(code('not_an_approver'));
  expect(await votes(ann, id)).toMatchObject({ state: 'approved', approval: { rule: 'old', policy_version: before.version, policy_sha256: before.sha256 } });
  const [open] = [await w.asks(starter)];
  await expect(votes(ann, open.id)).rejects.toThrow(code('not_an_approver'));
});

describe('delegates', () => {
  beforeEach(() => w.rules({ approvers: { people: [personId(ann), personId(bob)] } }));
  const delegate = (from: Member, to: Member, more: { starts_at?: string; ends_at?: string } = {}) =>
    delegateVotes(from, { slug: w.organization.slug, to: to.actor.email, ends_at: soon(), ...more });

  test('vote for whom named them, once, and the vote says so', async () => {
    await delegate(ann, cyd);
    const { id } = await w.asks(starter);
    expect((await listWaits(cyd, { limit: 5 })).items).toMatchObject([
      { wait_id: id, approval: { may_vote: true, may_vote_for: [{ user_id: personId(ann) }] } },
    ]);
    expect(await votes(cyd, id)).toMatchObject({
      state: 'pending',
      approval: { votes: [{ by: { user_id: personId(cyd) }, for: { user_id: personId(ann) } }] },
    });
    await expect(votes(ann, id)).rejects.toThrow(code('vote_cast'));
    expect(await votes(bob, id)).toMatchObject({ state: 'approved' });
    const vote = (await audited(id)).find(({ action, actor_id }) => action === 'approval.vote' && actor_id === personId(cyd));
    expect(vote).toMatchObject({ organization_id: w.organization.id, details: { for: personId(ann), by: personId(cyd), decision: 'approve' } });
  });

  test('never count twice: not for two, nor for themselves and another', async () => {
    await Promise.all([delegate(ann, cyd), delegate(bob, cyd), delegate(ann, bob)]);
    const { id } = await w.asks(starter);
    await expect(votes(cyd, id)).rejects.toThrow(code('vote_for_whom'));
    await votes(cyd, id, 'approve', { for: personId(ann) });
    await expect(votes(cyd, id, 'approve', { for: personId(bob) })).rejects.toThrow(code('vote_cast'));
    const second = await w.asks(starter);
    await votes(bob, second.id);
    await expect(votes(bob, second.id, 'approve', { for: ann.actor.email })).rejects.toThrow(code('vote_cast'));
    expect([await row(id), await row(second.id)]).toMatchObject([{ state: 'pending' }, { state: 'pending' }]);
  });

  test('not before their time, after it, or when it was ended; nor the starter for another', async () => {
    await delegate(ann, cyd, { starts_at: soon(600) });
    const { id } = await w.asks(starter);
    await expect(votes(cyd, id)).rejects.toThrow(code('not_an_approver'));
    const ended = await delegate(ann, cyd);
    await expect(endDelegation(cyd, { slug: w.organization.slug, delegation_id: ended.delegation_id })).rejects.toThrow(code('delegation_not_yours'));
    await endDelegation(ann, { slug: w.organization.slug, delegation_id: ended.delegation_id });
    await expect(votes(cyd, id)).rejects.toThrow(code('not_an_approver'));
    await expect(votes({ ...cyd, clock: () => Date.now() + 500_000 }, id)).rejects.toThrow(code('not_an_approver'));
    await delegate(ann, starter);
    await expect(votes(starter, id)).rejects.toThrow(code('four_eyes'));
    await expect(delegate(ann, ann)).rejects.toThrow('is no other active member');
  });

  test('a delegate who leaves makes place for whom they voted for', async () => {
    await delegate(ann, cyd);
    const { id } = await w.asks(starter);
    await votes(cyd, id);
    await removeMember(w.organization.owner, { slug: w.organization.slug, member_id: cyd.memberId });
    expect(await votes(ann, id)).toMatchObject({ state: 'pending', approval: { approved: 1 } });
    expect(await votes(bob, id)).toMatchObject({ state: 'approved' });
  });
});

describe('at the deadline', () => {
  test('it is denied, by the rule, and the log of the organization says so', async () => {
    await w.rules({ name: 'slow', approvers: { role: 'admin', need: 2 }, deadline_seconds: 60 });
    const { id } = await w.asks(starter);
    await votes(ann, id);
    expect(await advanceApproval(later(50), id)).toMatchObject({ state: 'pending', until: (await row(id)).expires_at.getTime() });
    expect(await advanceApproval(later(61), id)).toEqual({ state: 'denied', tell: true });
    expect(await row(id)).toMatchObject({ state: 'denied', resolved_by: null, resolution: { reason: '1 of 2 had approved at the deadline of the rule slow' } });
    expect((await audited(id)).find(({ action }) => action === 'wait.denied')).toMatchObject({ organization_id: w.organization.id, details: { rule: 'slow' } });
    expect(await advanceApproval(later(61), id)).toEqual({ state: 'denied', tell: true });
  });

  test('a vote that comes after it changes nothing, whoever notices first', async () => {
    await w.rules({ approvers: { people: [personId(ann)] }, deadline_seconds: 60 });
    const { id } = await w.asks(starter);
    await expect(votes({ ...ann, clock: later(61).clock }, id)).rejects.toThrow(code('wait_resolved'));
    expect(await row(id)).toMatchObject({ state: 'denied', resolved_by: null });
  });

  test('it is escalated: others are asked, and who voted before counts where they are on the list', async () => {
    await w.rules({
      approvers: { role: 'admin', need: 3 },
      deadline_seconds: 60,
      escalate: { approvers: { people: [personId(ann), personId(cyd)] }, deadline_seconds: 120 },
    });
    const { id } = await w.asks(starter);
    await votes(ann, id);
    await expect(votes(cyd, id)).rejects.toThrow(code('not_an_approver'));
    const before = await row(id);
    expect(await advanceApproval(later(70), id)).toEqual({ state: 'pending', until: before.expires_at.getTime() + 120_000 });
    expect(await row(id)).toMatchObject({ approval_stage: 1 });
    expect((await audited(id)).filter(({ action }) => action === 'approval.escalate')).toMatchObject([
      { organization_id: w.organization.id, details: { stage: 2 } },
    ]);
    await expect(votes(bob, id)).rejects.toThrow(code('not_an_approver'));
    expect(await votes(cyd, id)).toMatchObject({ state: 'approved' });
  });

  test('escalated where enough have voted already, it is approved', async () => {
    await w.rules({ approvers: { role: 'admin', need: 2 }, deadline_seconds: 60, escalate: { approvers: { role: 'admin', need: 1 }, deadline_seconds: 60 } });
    const { id } = await w.asks(starter);
    await votes(ann, id);
    expect(await advanceApproval(later(61), id)).toMatchObject({ state: 'approved' });
    expect(await row(id)).toMatchObject({ state: 'approved', resolved_by: personId(ann) });
  });

  test('noticed long after, it is denied; escalated at once by many, it is escalated once', async () => {
    await w.rules({ approvers: { role: 'admin', need: 2 }, deadline_seconds: 60, escalate: { approvers: { role: 'owner', need: 2 }, deadline_seconds: 60 } });
    const [late, many] = [await w.asks(starter), await w.asks(starter)];
    expect(await advanceApproval(later(600), late.id)).toMatchObject({ state: 'denied' });
    await Promise.all(Array.from({ length: 10 }, () => advanceApproval(later(61), many.id)));
    expect((await audited(many.id)).filter(({ action }) => action === 'approval.escalate')).toHaveLength(1);
  });

  test('the skill waits no longer than it says', async () => {
    await w.rules({ deadline_seconds: 600 });
    const { id } = await w.asks(starter, { timeoutSeconds: 30 });
    expect((await row(id)).expires_at.getTime()).toBeLessThan(Date.now() + 31_000);
    expect(await advanceApproval(later(31), id)).toMatchObject({ state: 'expired' });
  });
});

test('where no rule fits, one member decides as before; and a person has no rules', async () => {
  await w.rules({ when: { paths: ['finance/**'] } });
  const { id } = await w.asks(starter);
  expect(await row(id)).toMatchObject({ approval: null, approval_stage: null });
  await expect(votes(cyd, id)).rejects.toThrow(code('role_not_allowed'));
  const guarded = await w.asks(starter, { read: ['fin*/**'] });
  expect(await row(guarded.id)).toMatchObject({ approval: { rule: 'rule-0' }, approval_stage: 0 });
});

test('the inbox says who has voted, who is missing, and who may', async () => {
  await w.rules({ approvers: { role: 'admin', need: 2 }, escalate: { approvers: { role: 'owner', need: 1 }, deadline_seconds: 60 } });
  const { id } = await w.asks(starter);
  await votes(ann, id);
  const seen = async (one: Member) => (await listWaits(one, { limit: 5 })).items.find(({ wait_id }) => wait_id === id)?.approval;
  expect(await seen(bob)).toMatchObject({
    may_vote: true,
    voted: null,
    at_deadline: 'escalate',
    role: 'admin',
    votes: [{ by: { user_id: personId(ann), email: ann.actor.email }, for: null, decision: 'approve', counts: true }],
    missing: [{ user_id: personId(bob) }],
  });
  expect(await seen(ann)).toMatchObject({ may_vote: false, voted: 'approve' });
  expect(await seen(cyd)).toMatchObject({ may_vote: false, voted: null });
});

test('the receipt of the call and the record of the decision name who approved, and by which rules', async () => {
  await w.rules({ name: 'two', approvers: { people: [personId(ann), personId(bob)] } });
  const { sha256, version } = await readApprovalPolicy(w.organization.owner, { slug: w.organization.slug });
  await delegateVotes(bob, { slug: w.organization.slug, to: personId(cyd), ends_at: soon() });
  const { id, run } = await w.asks(starter);
  await votes(ann, id);
  await votes(cyd, id);
  const votesThen = [
    { by: personId(ann), for: null, decision: 'approve' },
    { by: personId(cyd), for: personId(bob), decision: 'approve' },
  ];
  const approval = { rule: 'two', policy_version: version, policy_sha256: sha256, votes: votesThen };
  const { token } = await inTx(t.ctx, async (ctx) => {
    const known = await ctx.db('runs').where({ run_id: run.actor.run_id }).first();
    if (!known) throw new Error('no run');
    return endRun(ctx, { ...(await factsOfRow(ctx.db, known)), inputSha256: 'a'.repeat(64) }, succeeded({}));
  });
  expect(decodeReceipt(token).payload.approvals).toEqual([{ wait_id: id, kind: 'scope_request', state: 'approved', ...approval }]);
  const [known] = await hydrate(t.ctx.db, [{ source: 'waits', record_id: id, cursor_at: 0 }], w.organization.id);
  expect(known?.record).toMatchObject({ record_id: id, details: { approval } });
});
