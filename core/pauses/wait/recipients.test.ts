// Whom a question may be put to, who reads and answers it then, and who does not any more.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AskRecipient } from '#contract/wire/context-methods.ts';
import { appendReceipt } from '#core/evidence/receipt/sign.ts';
import { removeMember } from '#core/orgs/member/remove.ts';
import { updateMember } from '#core/orgs/member/change.ts';
import { actingAs } from '#core/orgs/test/organization.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent, runOf, type TestRun } from '#test/support/runs.ts';
import { facts } from '#test/support/verbs.ts';
import { giveCallerScopes } from '../../agents/caller-scopes/give.ts';
import { withdrawCallerScopes } from '../../agents/caller-scopes/withdraw.ts';
import { newId } from '../../kernel/ids.ts';
import { inTx } from '../../kernel/tx.ts';
import { anew, approvalWorld, type Member, personId, type World } from '../approval/test/world.ts';
import { presentTurn } from '../../conversation/chat/present.ts';
import { getRun } from '../../runs/run/read.ts';
import { addressWaits } from '../inbox/address-waits.ts';
import { listWaits } from '../inbox/list.ts';
import { askPerson, getWait } from './ask.ts';
import { MAX_OPEN_OF_GUEST } from './bounds.ts';
import { answerQuestion } from '../decision/card.ts';

let t: TestContext;
let w: World;
let boss: Member;
let admin: Member;
let dev: Member;
let auditor: Member;
let stranger: TestUser;
beforeAll(async () => {
  t = await testContext();
  w = await approvalWorld(t);
  boss = { ...w.organization.owner, memberId: '' };
  [admin, dev, auditor] = [await w.member('admin'), await w.member('developer'), await w.member('auditor')];
  stranger = await t.user('stranger');
});
afterAll(() => t.close());

interface Asking {
  id: string;
  run: TestRun;
}

async function ask(of: AskRecipient, by: TestUser | null = stranger, agent: LiveAgent = w.agent): Promise<Asking> {
  const run = runOf(t.ctx, agent, by?.actor.user_id ?? null, { caller: { kind: by ? 'user' : 'anonymous', id: by ? personId(by) : null } });
  const id = `qst_${randomUUID()}`;
  await askPerson(run, { question_id: id, prompt: 'May it be paid?', timeout_seconds: 3_600, of });
  return { id, run };
}

const answer = (user: TestUser, id: string): Promise<unknown> => answerQuestion(anew(user), { question_id: id, answer: 'yes' });
const refusal = (work: Promise<unknown>): Promise<unknown> => work.then(() => undefined, (error: unknown) => error); // prettier-ignore
const reads = async (user: TestUser, id: string): Promise<boolean> => (await listWaits(user, { limit: 200 })).items.some(({ wait_id }) => wait_id === id);
const mails = async (id: string): Promise<string[]> => {
  await t.ctx.db('notifications').insert([boss, admin, dev, auditor, stranger].map((one) => ({ user_id: personId(one), mail_from: new Date(0) }))).onConflict().ignore(); // prettier-ignore
  await addressWaits({ ...t.ctx, clock: () => Date.now() + 600_000 });
  return (await t.ctx.db('wait_mails').where({ wait_id: id }).pluck('user_id')).toSorted();
};

/** An owner has given this account scopes, and it has called. */
async function isGuest(user: TestUser, agent: LiveAgent, owner: TestUser): Promise<void> {
  await inTx(t.ctx, (ctx) => appendReceipt(ctx, facts(agent, { caller: { kind: 'user', id: user.actor.user_id, userId: user.actor.user_id } })));
  await giveCallerScopes(owner, { name: agent.name, account: user.actor.user_id, scopes: ['decide'] });
}

test('a role: who has it reads and answers, whatever the role; others, the owner and the requester included, do not', async () => {
  const { id, run } = await ask({ role: 'auditor' });
  for (const other of [await acting(boss), admin, dev, stranger]) {
    expect(await reads(other, id)).toBe(false);
    expect(await refusal(answer(other, id))).toMatchObject({ code: 'wait_not_found' });
  }
  expect(await reads(auditor, id)).toBe(true);
  expect(await mails(id)).toEqual([personId(auditor)]);
  await answer(auditor, id);
  expect(await getWait(run, { wait_id: id })).toMatchObject({ state: 'answered', answer: 'yes', answered_by: personId(auditor) });
});

test('the requester sees that it waits and for whom, not what is asked', async () => {
  const { id, run } = await ask({ people: [admin.actor.email] });
  const shown = await getRun(stranger, { name: w.agent.name, run_id: run.actor.run_id });
  expect(shown.waits).toMatchObject([{ wait_id: id, prompt: 'People whom the agent names are asked.', recipient: { of: 'people', people: [], you: false } }]);
  const [card] = (await listWaits(admin, { limit: 50 })).items.filter(({ wait_id }) => wait_id === id);
  expect(card).toMatchObject({ prompt: 'May it be paid?', recipient: { of: 'people', people: [admin.actor.email], you: true } });
});

test("the requester's chat does not show what the owner is asked, the owner's inbox does", async () => {
  const { id } = await ask('owner');
  const [owner_id, job_id, thread_id, turn_id] = [stranger.actor.user_id, newId('job'), newId('thr'), newId('trn')];
  await t.ctx.db('jobs').insert({ job_id, kind: 'run', state: 'waiting', title: 'x', owner_id });
  await t.ctx.db('threads').insert({ thread_id, owner_id, title: 'x' });
  await t.ctx
    .db('chat_turns')
    .insert({ turn_id, thread_id, owner_id, idempotency_key: null, reading: 'skill', job_id, first_seq: 1, last_seq: null, ended_at: null });
  await t.ctx.db('waits').where({ wait_id: id }).update({ job_id });
  const turn = await presentTurn(stranger, turn_id);
  expect(turn).toMatchObject({ state: 'waiting', waits: [{ wait_id: id, prompt: 'The owner of the agent is asked.', recipient: { you: false } }] });
  expect(JSON.stringify(turn)).not.toContain('May it be paid?');
  expect(await reads(await acting(boss), id)).toBe(true);
});

test('people: they answer, by address or id; acting for themselves they do not', async () => {
  const { id } = await ask({ people: [admin.actor.email.toUpperCase(), personId(dev), personId(dev)] });
  expect(await t.ctx.db('waits').where({ wait_id: id }).first()).toMatchObject({ asked_people: [personId(admin), personId(dev)], asked_guests: [] });
  const own = inPerson(dev);
  expect(await refusal(answer(own, id))).toMatchObject({ code: 'wait_not_found' });
  expect(await reads(auditor, id)).toBe(false);
  expect(await mails(id)).toEqual([personId(admin), personId(dev)].toSorted());
  await answer(dev, id);
  expect(await refusal(answer(admin, id))).toMatchObject({ code: 'wait_resolved' });
});

describe('who began the run', () => {
  test.each<[string, AskRecipient]>([
    ['the owner', 'owner'],
    ['a role', { role: 'admin' }],
  ])('does not answer what %s is asked, as a member and by their own account', async (_what, of) => {
    const other = await w.member('admin');
    for (const by of [admin, inPerson(admin)]) {
      const { id } = await ask(of, by);
      expect(await reads(admin, id)).toBe(false);
      expect(await refusal(answer(admin, id))).toMatchObject({ code: 'wait_not_found' });
      expect(await mails(id)).not.toContain(personId(admin));
      await answer(other, id);
    }
    await removeMember(await acting(boss), { slug: w.organization.slug, member_id: other.memberId });
  });

  test('answers where they are named, and what the owner is asked where nobody else could', async () => {
    await answer(admin, (await ask({ people: [personId(admin)] }, admin)).id);
    const alone = await approvalWorld(t);
    const founder = await acting({ ...alone.organization.owner, memberId: '' }, alone);
    const { id } = await ask('owner', founder, alone.agent);
    await answer(founder, id);
    expect(await refusal(ask({ role: 'owner' }, founder, alone.agent))).toMatchObject({
      code: 'nobody_to_ask',
      message: expect.stringContaining('but who began this run'),
    });
  });
});

test('who leaves, or loses the role, does not answer any more, also in a request that had begun', async () => {
  const [gone, lowered, named] = [await w.member('billing'), await w.member('billing'), await w.member('billing')];
  const [byRole, byName] = [await ask({ role: 'billing' }), await ask({ people: [personId(named)] })];
  await removeMember(await acting(boss), { slug: w.organization.slug, member_id: gone.memberId });
  await updateMember(await acting(boss), { slug: w.organization.slug, member_id: lowered.memberId, role: 'auditor' });
  await removeMember(await acting(boss), { slug: w.organization.slug, member_id: named.memberId });
  // Their contexts are of before.
  for (const [user, id] of [
    [gone, byRole.id],
    [lowered, byRole.id],
    [named, byName.id],
  ] as const)
    // prettier-ignore
    expect(await refusal(answer(user, id))).toMatchObject({ code: 'wait_not_found' });
  expect(await mails(byName.id)).toEqual([]);
});

describe('strangers are not asked', () => {
  test.each<[string, () => AskRecipient]>([
    ['an account that has nothing to do with it', () => ({ people: [stranger.actor.email] })],
    ['an id of such an account, beside a member', () => ({ people: [admin.actor.email, stranger.actor.user_id] })],
    ['an address without an account', () => ({ people: ['nobody@example.com'] })],
    ['an organization', () => ({ people: [w.organization.id] })],
    ['a role that nobody has', () => ({ role: 'operator' })],
  ])('%s', async (_what, of) => {
    const before = await t.ctx.db('waits').count();
    const refused = await refusal(ask(of()));
    expect(refused).toMatchObject({ name: 'Forbidden', code: 'nobody_to_ask' });
    // The caller may read it.
    expect(String(refused)).not.toMatch(/@|usr_/);
    expect(await t.ctx.db('waits').count()).toEqual(before);
  });

  test('a person owns the agent: a role is nobody’s, the owner can be named, others cannot', async () => {
    const mallory = await t.user('mallory');
    const agent = await liveAgent(t.ctx, mallory.actor.user_id, { visibility: 'public' });
    expect(await refusal(ask({ role: 'admin' }, stranger, agent))).toMatchObject({
      code: 'nobody_to_ask',
      message: expect.stringContaining('only organizations have roles'),
    });
    expect(await refusal(ask({ people: [admin.actor.email] }, mallory, agent))).toMatchObject({ code: 'nobody_to_ask' });
    await answer(mallory, (await ask({ people: [mallory.actor.email] }, stranger, agent)).id);
  });

  test('scopes alone make nobody reachable: they have to have called; then so many questions of one owner, and none after they are withdrawn', async () => {
    const mallory = await t.user('mallory');
    const [one, two] = [await liveAgent(t.ctx, mallory.actor.user_id), await liveAgent(t.ctx, mallory.actor.user_id)];
    const victim = await t.user('victim');
    await giveCallerScopes(mallory, { name: one.name, account: victim.actor.user_id, scopes: ['decide'] });
    const of = { people: [victim.actor.user_id] };
    // Others have.
    await isGuest(stranger, one, mallory);
    expect(await refusal(ask(of, mallory, one))).toMatchObject({ code: 'nobody_to_ask' });
    for (const agent of [one, two]) await isGuest(victim, agent, mallory);
    const asked: string[] = [];
    for (let n = 0; n < MAX_OPEN_OF_GUEST; n += 1) asked.push((await ask(of, mallory, n % 2 === 0 ? one : two)).id);
    expect(await refusal(ask(of, mallory, two))).toMatchObject({ code: 'inbox_full' });
    const [first = '', second = ''] = asked;
    expect(await reads(victim, first)).toBe(true);
    // Nor does the owner answer in their place.
    expect(await refusal(answer(mallory, first))).toMatchObject({ code: 'wait_not_found' });
    await answer(victim, second);
    await withdrawCallerScopes(mallory, { name: one.name, account_id: victim.actor.user_id });
    expect(await reads(victim, first)).toBe(false);
    expect(await refusal(answer(victim, first))).toMatchObject({ code: 'wait_not_found' });
  });
});

function inPerson(member: Member): TestUser {
  const { email } = member.actor;
  return { ...member, actor: { kind: 'user', user_id: personId(member), email, operator: false, via: 'bearer' } };
}

function acting(member: Member, world: World = w): Promise<Member> {
  return actingAs(member, world.organization.slug);
}
