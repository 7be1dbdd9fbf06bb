// Mail on real sockets, with a real name server, a real Temporal server and a real database. Runs are ended
// by hand: what agents do is other tests' matter.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createDeployActivities } from '#activities/deploy.ts';
import { createMailActivities } from '#activities/mail.ts';
import { createMailbox } from '#core/agents/mailbox/create.ts';
import { listMailboxEvents } from '#core/agents/mailbox/events.ts';
import { getMailbox } from '#core/agents/mailbox/get.ts';
import { updateMailbox } from '#core/agents/mailbox/update.ts';
import { dkimRecord } from '#core/agents/mailbox/keys.ts';
import { endDurableRun } from '#core/runs/durable/end.ts';
import { mayReceive, receiveMail } from '#core/conversation/mail/receive.ts';
import { succeeded } from '#core/runs/run/outcome.ts';
import { openMail } from '#drivers/mail/open.ts';
import type { MailReceiver } from '#drivers/mail/port.ts';
import { startMailReceiver } from '#drivers/mail/receive.ts';
import { parseMail } from '#drivers/mail/parse.ts';
import { verifyMail } from '#drivers/mail/verify.ts';
import { createMailResolver } from '#drivers/mail/resolver.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { inTx } from '#core/kernel/tx.ts';
import { startRun } from '#core/runs/durable/start.ts';
import { inbox, type Inbox, nameServer, type NameServer, sendTo, signingDomain } from '#test/support/mail.ts';
import { recordHistory } from '#test/support/record-history.ts';
import { type LiveAgent, liveAgent } from '#test/support/runs.ts';
import { testTemporal } from '#test/support/servers.ts';
import { startTestWorkers } from '#test/support/workers.ts';

const DOMAIN = 'agents.example';
const faults: unknown[] = [];
let t: TestContext;
let ada: TestUser;
let dns: NameServer;
let relay: Inbox;
let receiver: MailReceiver;
let stopWorker: () => Promise<void>;
let friend: ReturnType<typeof signingDomain>;

beforeAll(async () => {
  const temporal = await testTemporal();
  dns = await nameServer();
  friend = signingDomain(dns.zone, 'friend.example');
  relay = await inbox();
  t = await testContext({ temporal });
  t.ctx.drivers.mail = openMail({
    domain: DOMAIN,
    hostname: DOMAIN,
    selector: 'svc',
    relay: `smtp://127.0.0.1:${relay.port}?ignoreTLS=true`,
    dnsServers: [dns.address],
    arcSealers: [],
  });
  ada = await t.user('ada');
  receiver = await startMailReceiver({
    port: 0,
    listen: '127.0.0.1',
    hostname: DOMAIN,
    recipient: (address) => mayReceive(t.ctx, address),
    deliver: (mail) => receiveMail(t.ctx, mail),
    onError: (error) => void faults.push(error),
  });
  stopWorker = await startTestWorkers(temporal, { ...createDeployActivities({ ...t.ctx, node: 'local' }), ...createMailActivities(t.ctx) });
});
afterAll(async () => {
  await receiver.close();
  expect(faults).toEqual([]);
  await stopWorker();
  await Promise.all([relay.close(), dns.close()]);
  await t.close();
});

const soon = { timeout: 20_000, interval: 50 };
const skills = [{ id: 'on_email', name: 'on_email', input_schema: { type: 'object' }, output_schema: {} }];
const events = async (name: string) => (await listMailboxEvents(ada, { name, limit: 100 })).items;
const kinds = async (name: string) => (await events(name)).map(({ kind, why }) => (why === null ? kind : `${kind}:${why}`));

async function mailboxed(allowed: string[] = ['eve@friend.example']): Promise<LiveAgent> {
  const agent = await liveAgent(t.ctx, ada.actor.user_id, { card: { skills } });
  await t.ctx
    .db('agents')
    .where({ agent_id: agent.id })
    .update({ skills: ['on_email'] });
  await createMailbox(ada, { name: agent.name, mailbox: { allowed_senders: allowed } });
  await vi.waitFor(async () => expect(await getMailbox(ada, { name: agent.name })).toMatchObject({ state: 'ready', has_on_email: true }), soon);
  return agent;
}

let count = 0;
const mail = (agent: LiveAgent, more: object = {}) => ({
  from: 'Eve <eve@friend.example>',
  to: `${agent.name}@${DOMAIN}`,
  subject: 'Weekly figures',
  text: 'Please send them.',
  messageId: `<m${++count}@friend.example>`,
  ...more,
});

const runsOf = (agent: LiveAgent) => t.ctx.db('runs').where({ agent_id: agent.id }).orderBy('started_at');
const runOf = (agent: LiveAgent, at = 0) =>
  vi.waitFor(async () => {
    const row = (await runsOf(agent))[at];
    if (!row) throw new Error('no run yet');
    return row;
  }, soon);
const answerWith = async (agent: LiveAgent, result: unknown, at = 0) => endDurableRun(t.ctx, (await runOf(agent, at)).run_id, succeeded(result));
const answered = (at: number) =>
  vi.waitFor(() => {
    const got = relay.mails[at];
    if (!got) throw new Error('no answer yet');
    return got;
  }, soon);

test('on_email is only for mail: nobody else starts it, its owner neither', async () => {
  const agent = await mailboxed();
  const start = { userId: ada.actor.user_id, agent: agent.name, skill: 'on_email', args: { sender: 'boss@friend.example' } };
  await expect(inTx(ada, (ctx) => startRun(ctx, { ...start, idempotencyKey: 'mail/mml_1' }))).rejects.toMatchObject({ code: 'mail_only' });
});

test('postmaster takes mail for the operators, with and without a domain; they find it among their files, once', async () => {
  const olga = await t.user('olga');
  const about = { from: 'Eve <eve@friend.example>', subject: 'Spam from you', text: 'Stop it.', messageId: '<p1@friend.example>', date: new Date(0) };
  const to = (address: string) =>
    sendTo(receiver.port, { ...about, to: `postmaster@${DOMAIN}`, envelope: { from: 'eve@friend.example', to: address } }, friend);
  expect(await to(`postmaster@${DOMAIN}`)).toMatchObject({ code: 450 });
  await t.ctx.db('users').where({ user_id: olga.actor.user_id }).update({ operator: true });
  expect([await to(`Postmaster@${DOMAIN}`), await to(`abuse@${DOMAIN}`), await to('postmaster')]).toMatchObject([{ code: 250 }, { code: 250 }, { code: 250 }]);
  const files = () => t.ctx.db('files').where({ owner_id: olga.actor.user_id }).select('path');
  const paths = (await files()).map(({ path }) => path);
  expect(paths[0]).toMatch(/^mail\/postmaster\/\d{4}-\d\d-\d\d-[0-9a-f]{16}\.eml$/);
  expect(paths.length).toBeLessThanOrEqual(3);
});

test('a mail of an allowed sender runs on_email in the owner’s name, and the answer comes back signed, in the same conversation', async () => {
  const agent = await mailboxed();
  const first = mail(agent, { attachments: [{ filename: '../../etc/pass wd.txt', content: 'hello' }] });
  expect(await sendTo(receiver.port, first, friend)).toMatchObject({ code: 250 });
  const run = await runOf(agent);
  expect(run).toMatchObject({ skill: 'on_email', user_id: ada.actor.user_id, caller_kind: 'user' });
  expect(run.args).toMatchObject({
    sender: 'eve@friend.example',
    subject: 'Weekly figures',
    body: 'Please send them.\n',
    message_id: first.messageId,
    references: [],
    attachments: [{ content_type: 'text/plain', size_bytes: 5 }],
  });
  const [{ path }] = (run.args as { attachments: [{ path: string }] }).attachments;
  expect(path).toMatch(/^mail\/[\w-]+\/mml_[\w-]+\/1-[^/]*$/);
  expect(await t.ctx.db('files').where({ path }).first()).toMatchObject({ owner_id: ada.actor.user_id, size_bytes: 5 });
  expect(
    await t.ctx
      .db('grants')
      .where({ grant_id: run.grant_id ?? '' })
      .first(),
  ).toMatchObject({ mode: 'read_only', allow_patterns: [path.replace(/[^/]*$/, '**')] });
  await answerWith(agent, { body: 'Here they are: 42', subject: 'Figures\r\nBcc: victim@example.com' });
  const got = await answered(0);
  expect(got.to).toEqual(['eve@friend.example']);
  expect(got.from).toMatch(/^bounce\+b\w+-\w{16}@agents\.example$/);
  const seen = await parseMail(got.raw);
  expect(seen).toMatchObject({ subject: 'Figures Bcc: victim@example.com', text: 'Here they are: 42\n', references: [first.messageId] });
  expect(seen?.headers.get('auto-submitted')).toBe('auto-replied');
  expect(seen?.headers.has('bcc')).toBe(false);
  // Signed with the key whose public half the operator publishes.
  dns.zone[`svc._domainkey.${DOMAIN}`] = { TXT: [(await dkimRecord(t.ctx, { domain: DOMAIN, selector: 'svc' })) ?? ''] };
  dns.zone[`_dmarc.${DOMAIN}`] = { TXT: ['v=DMARC1; p=reject'] };
  const verdict = await verifyMail(
    { envelopeFrom: got.from, recipients: got.to, clientIp: '192.0.2.1', helo: DOMAIN, raw: got.raw },
    { hostname: 'peer.example', resolver: createMailResolver([dns.address]), arcSealers: [] },
  );
  expect(verdict).toMatchObject({ from: `${agent.name}@${DOMAIN}`, dkim: 'pass', dmarc: 'pass', authenticated: true });
  await vi.waitFor(async () => expect(await kinds(agent.name)).toEqual(['mail_sent', 'mail_received']), soon);
  expect(await getMailbox(ada, { name: agent.name })).toMatchObject({ sent_today: 1 });

  // An answer whose client dropped References: the address says which conversation it is.
  const replyTo = seen?.headers.get('reply-to') ?? '';
  expect(replyTo).toContain(`${agent.name}+t`);
  expect(await sendTo(receiver.port, mail(agent, { to: replyTo, subject: 'Something else' }), friend)).toMatchObject({ code: 250 });
  const second = await runOf(agent, 1);
  expect(second.thread_id).toBe(run.thread_id);
  // And one that names our mail, to the plain address.
  expect(await sendTo(receiver.port, mail(agent, { references: seen?.messageId }), friend)).toMatchObject({ code: 250 });
  expect((await runOf(agent, 2)).thread_id).toBe(run.thread_id);
  // A new one begins a conversation of its own; a made-up tag is of no use.
  expect(await sendTo(receiver.port, mail(agent, { to: `${agent.name}+t1-0000000000000000@${DOMAIN}` }), friend)).toMatchObject({ code: 250 });
  expect((await runOf(agent, 3)).thread_id).not.toBe(run.thread_id);
  const row = await t.ctx
    .db('mail_messages')
    .where({ job_id: run.job_id ?? '', direction: 'out' })
    .first();
  await recordHistory(t.temporal, `mail:${row?.mail_id}`, 'sendMail.sent');
  await recordHistory(t.temporal, `mail:${row?.answers}`, 'deliverMail.run');
  const box = await t.ctx.db('mailboxes').where({ agent_id: agent.id }).first();
  await recordHistory(t.temporal, `mailbox:${box?.mailbox_id}:${box?.created_at.getTime()}`, 'provisionMailbox.ready');
});

test('the decision table: who runs the agent, what is kept, what is refused', async () => {
  const agent = await mailboxed(['eve@friend.example', '@plain.example', '@soft.example']);
  const plain = signingDomain(dns.zone, 'plain.example', { dmarc: null });
  const soft = signingDomain(dns.zone, 'soft.example', { dmarc: 'v=DMARC1; p=quarantine' });
  const other = signingDomain(dns.zone, 'other.example');
  const send = async (more: object, by?: typeof friend) => (await sendTo(receiver.port, mail(agent, more), by)).code;
  const answers = [
    await send({ from: 'boss@other.example' }, other),
    await send({ from: 'bob@friend.example' }, friend),
    await send({ from: 'x@plain.example' }, plain),
    await send({ from: 'x@soft.example' }),
    await send({ from: 'eve@friend.example' }),
    await send({ headers: { 'Auto-Submitted': 'auto-replied' } }, friend),
    await send({ headers: { Precedence: 'bulk' } }, friend),
    await send({ headers: { 'List-Unsubscribe': '<mailto:x@friend.example>' } }, friend),
    await send({ envelope: { from: '', to: `${agent.name}@${DOMAIN}` } }, friend),
    await send({ from: 'ada@friend.example', to: `nobody@${DOMAIN}` }, friend),
    await send({ to: 'victim@elsewhere.example' }, friend),
  ];
  expect(answers).toEqual([250, 250, 250, 250, 550, 250, 250, 250, 250, 550, 550]);
  const automatic = 'mail_skipped:automatic';
  expect(await kinds(agent.name)).toEqual([
    automatic,
    automatic,
    automatic,
    automatic,
    'mail_skipped:dmarc_reject',
    'mail_skipped:dmarc_quarantine',
    'mail_skipped:not_authenticated',
    'mail_skipped:sender_not_allowed',
    'mail_skipped:sender_not_allowed',
  ]);
  expect(await runsOf(agent)).toEqual([]);
  expect(await send({ from: 'y@soft.example' }, soft)).toBe(250);
  expect(await runOf(agent)).toMatchObject({ skill: 'on_email' });
  dns.broken = true;
  expect(await send({}, friend)).toBe(451);
  dns.broken = false;
  // The owner may always write. Disabled, nobody may.
  await t.ctx.db('users').where({ user_id: ada.actor.user_id }).update({ email: 'Ada@Other.example' });
  expect(await send({ from: 'ada@other.example' }, other)).toBe(250);
  await vi.waitFor(async () => expect(await runsOf(agent)).toHaveLength(2), soon);
  await updateMailbox(ada, { name: agent.name, enabled: false });
  expect(await send({}, friend)).toBe(550);
});

test('the same mail sent again runs once; nothing and failures send nothing; a failed run says so', async () => {
  const agent = await mailboxed();
  const same = mail(agent, { date: new Date(0) });
  for (let times = 0; times < 3; times += 1) expect(await sendTo(receiver.port, same, friend)).toMatchObject({ code: 250 });
  await Promise.all(Array.from({ length: 4 }, () => sendTo(receiver.port, same, friend)));
  await answerWith(agent, null);
  expect(await runsOf(agent)).toHaveLength(1);
  expect(await kinds(agent.name)).toEqual(['mail_received']);
  await sendTo(receiver.port, mail(agent), friend);
  const { run_id } = await runOf(agent, 1);
  await endDurableRun(t.ctx, run_id, { state: 'failed', error: { code: 'skill_failed', message: 'no' } });
  await sendTo(receiver.port, mail(agent), friend);
  await answerWith(agent, { text: 'wrong member' }, 2);
  expect((await kinds(agent.name)).filter((kind) => kind !== 'mail_received')).toEqual(['mail_skipped:bad_reply', 'mail_skipped:run_failed']);
  expect(await t.ctx.db('mail_messages').where({ direction: 'out', correspondent: 'eve@friend.example', state: 'queued' })).toEqual([]);
});

test('a server that does not exist is tried again; one that refuses, and a bounce, are told to the owner', async () => {
  const agent = await mailboxed();
  const before = relay.mails.length;
  relay.answer = 451;
  await sendTo(receiver.port, mail(agent), friend);
  await answerWith(agent, 'later');
  const out = () =>
    t.ctx
      .db('mail_messages as m')
      .join('mailboxes as b', 'b.mailbox_id', 'm.mailbox_id')
      .where({ 'b.agent_id': agent.id, direction: 'out' })
      .orderBy('number')
      .select('m.*');
  await vi.waitFor(async () => expect((await out())[0]).toMatchObject({ state: 'queued', attempts: 1 }), soon);
  relay.answer = 250;
  await vi.waitFor(async () => expect((await out())[0]).toMatchObject({ state: 'sent' }), soon);
  relay.answer = 550;
  await sendTo(receiver.port, mail(agent), friend);
  await answerWith(agent, 'refused', 1);
  await vi.waitFor(async () => expect((await events(agent.name))[0]).toMatchObject({ kind: 'mail_skipped', why: 'not_delivered', detail: 'smtp_550' }), soon);
  relay.answer = 250;
  const report = (to: string) => ({
    envelope: { from: '', to },
    raw: `From: mailer-daemon@far.example\r\nTo: ${to}\r\nContent-Type: multipart/report; boundary=b\r\n\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n--b--\r\n`,
  });
  const returned = relay.mails[before]?.from ?? '';
  expect(await sendTo(receiver.port, report(`bounce+b1-0000000000000000@${DOMAIN}`))).toMatchObject({ code: 550 });
  expect(await sendTo(receiver.port, report(returned))).toMatchObject({ code: 250 });
  expect(await sendTo(receiver.port, report(returned))).toMatchObject({ code: 250 });
  expect((await events(agent.name)).filter(({ why }) => why === 'bounce')).toMatchObject([{ detail: 'failed 5.1.1', correspondent: 'eve@friend.example' }]);
});

test('fifty a day and twenty to one: what exceeds lands only in the thread', async () => {
  const agent = await mailboxed();
  const box = await t.ctx.db('mailboxes').where({ agent_id: agent.id }).first('mailbox_id');
  const mailbox_id = box?.mailbox_id ?? '';
  const fill = (count_: number, correspondent: string) =>
    t.ctx.db('mail_messages').insert(
      Array.from({ length: count_ }, (_, at) => ({
        mail_id: `mml_${agent.id}_${correspondent}_${at}`,
        mailbox_id,
        direction: 'out' as const,
        state: 'sent' as const,
        correspondent,
        subject: 'x',
      })),
    );
  await fill(20, 'eve@friend.example');
  await sendTo(receiver.port, mail(agent), friend);
  await answerWith(agent, 'one too many for Eve');
  expect((await events(agent.name))[0]).toMatchObject({ kind: 'mail_send_rate_limited', why: 'correspondent_limit', thread_id: expect.any(String) });
  await fill(30, 'bob@friend.example');
  await sendTo(receiver.port, mail(agent), friend);
  await answerWith(agent, 'one too many for all', 1);
  const [last] = await events(agent.name);
  expect(last).toMatchObject({ kind: 'mail_send_rate_limited', why: 'day_limit' });
  const said = await t.ctx.db('thread_events').where({ thread_id: last?.thread_id ?? '', kind: 'mail.reply' });
  expect(said).toMatchObject([{ payload: { text: 'one too many for all', sent: false } }]);
  expect(await getMailbox(ada, { name: agent.name })).toMatchObject({ sent_today: 50 });
});

test('two agents that write to each other stop after one answer', async () => {
  const [one, two] = [await mailboxed(['@friend.example', `@${DOMAIN}`]), await mailboxed([`@${DOMAIN}`])];
  const before = relay.mails.length;
  await sendTo(receiver.port, mail(one), friend);
  await answerWith(one, 'hello');
  const answer = await answered(before);
  // As if Eve forwarded it as it is: signed by us, from one agent to the other.
  expect(await sendTo(receiver.port, { envelope: { from: answer.from, to: `${two.name}@${DOMAIN}` }, raw: answer.raw })).toMatchObject({ code: 250 });
  expect(await kinds(two.name)).toEqual(['mail_skipped:automatic']);
  expect(await runsOf(two)).toEqual([]);
});
