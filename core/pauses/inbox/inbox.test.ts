// What waits, as one list, and the mail that says so: to who asked for it, once, over a real SMTP server.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MAIL_AFTER_SECONDS } from '#contract/pauses/inbox.ts';
import { openMail } from '#drivers/mail/open.ts';
import { parseMail } from '#drivers/mail/parse.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type Inbox, inbox } from '#test/support/mail.ts';
import { type LiveAgent, liveAgent, runOf } from '#test/support/runs.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { inTx } from '../../kernel/tx.ts';
import { delegateVotes } from '../../orgs/approval/delegations.ts';
import { advanceApproval } from '../decision/advance.ts';
import { approvalWorld, type Member, personId, votes, type World } from '../approval/test/world.ts';
import { openWait } from '../wait/open.ts';
import { resolveWait } from '../decision/resolve.ts';
import { getInboxWait } from './get.ts';
import { listWaits } from './list.ts';
import { mailWaits } from './mail-waits.ts';
import { readNotifications, setNotifications } from './notifications.ts';

const LURE = 'Your account is locked: https://evil.example/login';
let t: TestContext;
let server: Inbox;
let ada: TestUser;
let ben: TestUser;
let agent: LiveAgent;

beforeAll(async () => {
  [t, server] = await Promise.all([testContext(), inbox()]);
  const relay = `smtp://127.0.0.1:${server.port}?ignoreTLS=true`;
  t.ctx.drivers.mail = openMail({ domain: 'agents.example', hostname: 'agents.example', selector: 'svc', relay, arcSealers: [] });
});
afterAll(async () => {
  await server.close();
  await t.close();
});
beforeEach(async () => {
  [ada, ben] = [await t.user(`ada-${randomUUID()}`), await t.user(`ben-${randomUUID()}`)];
  agent = await liveAgent(t.ctx, ada.actor.user_id);
});
afterEach(async () => {
  server.mails.length = 0;
  server.answer = 250;
  await t.ctx.db('notifications').delete();
});

async function asks(user: TestUser, timeoutSeconds = 3600): Promise<string> {
  const run = runOf(t.ctx, agent, user.actor.user_id);
  const waitId = `qst_${randomUUID()}`;
  await inTx(run, (ctx) => openWait(ctx, { waitId, kind: 'question', prompt: LURE, request: {}, timeoutSeconds }));
  return waitId;
}

/** The same installation, some time later. */
const later = (seconds: number): Ctx => ({ ...t.ctx, clock: () => Date.now() + seconds * 1000 });
const due = MAIL_AFTER_SECONDS + 5;
const round = (seconds = due): Promise<void> => mailWaits(later(seconds));

test('what waits for a user is one list, what ends soonest first, and nobody else’s', async () => {
  const [late, soon, between] = [await asks(ada, 3000), await asks(ada, 1000), await asks(ada, 2000)];
  await asks(ben);
  const ids = (await listWaits(ada, { limit: 50 })).items.map(({ wait_id }) => wait_id);
  expect(ids).toEqual([soon, between, late]);
  const first = await listWaits(ada, { limit: 2 });
  expect(first.items[0]).toMatchObject({ wait_id: soon, agent: agent.name, skill: 'work', kind: 'question', prompt: LURE, title: `${agent.name} asks` });
  const rest = await listWaits(ada, { limit: 2, cursor: first.next_cursor ?? '' });
  expect([rest.items.map(({ wait_id }) => wait_id), rest.next_cursor]).toEqual([[late], null]);
  await t.ctx.db('waits').where({ wait_id: soon }).update({ state: 'cancelled', resolved_at: new Date() });
  expect((await listWaits(ada, { limit: 50 })).items).toHaveLength(2);
});

test('one is read after its end, too: who decided what and when; nobody else reads it', async () => {
  const id = await asks(ada);
  expect(await getInboxWait(ada, { wait_id: id })).toMatchObject({ state: 'pending', agent: agent.name, resolved_at: null, resolved_by: null });
  const past = { ...ada, clock: () => Date.now() + 3_700_000 };
  expect(await getInboxWait(past, { wait_id: id })).toMatchObject({ state: 'expired' });
  expect((await listWaits(past, { limit: 10 })).items).toEqual([]);
  expect((await listWaits(ada, { limit: 10 })).items).toHaveLength(1);
  const decision = { waitId: id, kind: 'question' as const, decision: { decision: 'answered' as const, answer: 'yes' } };
  await resolveWait(ada, decision);
  expect(await getInboxWait(ada, { wait_id: id })).toMatchObject({
    state: 'answered',
    resolved_at: expect.any(String),
    resolved_by: { you: true, email: ada.actor.email },
  });
  await expect(resolveWait(ada, { ...decision, decision: { decision: 'answered', answer: 'no' } })).rejects.toMatchObject({
    code: 'wait_resolved',
    message: expect.stringMatching(/^You answered this request at \d{4}-\d\d-\d\d \d\d:\d\d UTC/),
  });
  await expect(getInboxWait(ben, { wait_id: id })).rejects.toMatchObject({ code: 'wait_not_found' });
});

test('nobody gets mail who did not ask for it, or of what waited before', async () => {
  await asks(ben);
  await asks(ada);
  expect(await readNotifications(ada)).toEqual({ mail: false, mail_served: true, address: ada.actor.email });
  expect(await setNotifications(ada, { mail: true })).toMatchObject({ mail: true });
  await round();
  expect(server.mails).toEqual([]);
});

test('what has waited for two minutes is one mail, that says who asks and where to answer, and never what the agent wrote', async () => {
  await setNotifications(ada, { mail: true });
  const [one, two] = [await asks(ada), await asks(ada)];
  await round(MAIL_AFTER_SECONDS - 5);
  expect(server.mails).toEqual([]);
  await Promise.all([round(), round()]);
  await round(due + 700);
  expect(server.mails.map(({ from, to }) => [from, to])).toEqual([['', [ada.actor.email]]]);
  const [{ raw } = { raw: Buffer.alloc(0) }] = server.mails;
  const mail = await parseMail(raw);
  expect(mail?.subject).toBe('2 decisions wait for you');
  expect(mail?.text).toContain(`${agent.name} asks`);
  expect(mail?.text).toContain(`${t.ctx.config.baseUrl}/inbox`);
  expect(mail?.headers.get('auto-submitted')).toBe('auto-generated');
  expect(mail?.headers.has('dkim-signature')).toBe(true);
  expect(String(raw)).not.toContain('evil.example');
  const rows = await t.ctx.db('wait_mails').whereIn('wait_id', [one, two]).whereNotNull('mailed_at');
  expect(rows).toHaveLength(2);
});

test('one mail in ten minutes, however often an agent asks; what was answered is not mailed', async () => {
  await setNotifications(ada, { mail: true });
  const answered = await asks(ada);
  await t.ctx.db('waits').where({ wait_id: answered }).update({ state: 'cancelled', resolved_at: new Date() });
  await round();
  expect(server.mails).toEqual([]);
  await asks(ada);
  await round();
  await asks(ada);
  await round(due + 60);
  expect(server.mails).toHaveLength(1);
  await round(due + 660);
  expect(server.mails).toHaveLength(2);
  await setNotifications(ada, { mail: false });
  await asks(ada);
  await round(due + 2000);
  expect(server.mails).toHaveLength(2);
});

test('a server that takes it later gets it later; one that never does is asked once', async () => {
  await setNotifications(ada, { mail: true });
  await asks(ada);
  server.answer = 451;
  await round();
  server.answer = 250;
  // Claimed by the try before: that may still be under way.
  await round(due + 60);
  expect(server.mails).toEqual([]);
  await round(due + 360);
  expect(server.mails).toHaveLength(1);
  await setNotifications(ben, { mail: true });
  const refused = await asks(ben);
  server.answer = 550;
  await round();
  server.answer = 250;
  await round(due + 1000);
  expect(server.mails).toHaveLength(1);
  expect((await t.ctx.db('wait_mails').where({ wait_id: refused }).first('mailed_at'))?.mailed_at).not.toBeNull();
});

test('an installation without mail says so, and its round does nothing', async () => {
  const without = { ...ada, drivers: { ...ada.drivers, mail: undefined } };
  await setNotifications(ada, { mail: true });
  await asks(ada);
  expect(await readNotifications(without)).toMatchObject({ mail: true, mail_served: false });
  await mailWaits({ ...without, clock: () => Date.now() + due * 1000 });
  expect(server.mails).toEqual([]);
});

describe('what waits for an organization', () => {
  let w: World;
  let ann: Member;
  let bob: Member;
  let cyd: Member;
  let starter: Member;
  const addressees = (): string[] => server.mails.flatMap(({ to }) => to).toSorted();
  const of = (...members: Member[]): string[] => members.map(({ actor }) => actor.email).toSorted();
  beforeEach(async () => {
    w = await approvalWorld(t);
    [ann, bob, cyd, starter] = [await w.member('admin', 'ann'), await w.member('admin', 'bob'), await w.member('auditor', 'cyd'), await w.member('developer')];
    for (const member of [ann, bob, cyd, starter]) await t.ctx.db('notifications').insert({ user_id: personId(member), mail_from: new Date(0) });
  });

  test('goes to the member who began the run; without one, to all who may answer', async () => {
    await w.asks(starter);
    await round();
    expect(addressees()).toEqual(of(starter));
    const [{ raw } = { raw: Buffer.alloc(0) }] = server.mails;
    expect((await parseMail(raw))?.subject).toContain('(Acme)');
    server.mails.length = 0;
    await w.asks(cyd);
    await round(due + 700);
    expect(addressees()).toEqual(of(ann, bob, starter));
  });

  test('goes to those whose vote is missing and their delegates, once to each; after its escalation to the others', async () => {
    await w.rules({
      approvers: { role: 'admin', need: 2 },
      deadline_seconds: 600,
      escalate: { approvers: { people: [personId(cyd)] }, deadline_seconds: 3_600 },
    });
    const [starts, ends] = [new Date().toISOString(), new Date(Date.now() + 86_400_000).toISOString()];
    const { id } = await w.asks(starter, { timeoutSeconds: 7_200 });
    await votes(ann, id);
    const dan = await w.member('operator', 'dan');
    await t.ctx.db('notifications').insert({ user_id: personId(dan), mail_from: new Date(0) });
    await delegateVotes(bob, { slug: w.organization.slug, to: personId(dan), starts_at: starts, ends_at: ends });
    await round();
    await round(due + 700);
    expect(addressees()).toEqual(of(bob, dan));
    server.mails.length = 0;
    await advanceApproval(later(due + 700), id);
    await round(due + 1_400);
    expect(addressees()).toEqual(of(cyd));
  });
});
