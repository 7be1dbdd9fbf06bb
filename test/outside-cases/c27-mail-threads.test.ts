// C27. A conversation by mail as programs of East Asia and old ones write it: long subjects in several
// encoded words, ISO-2022-JP, folded and bare Message-IDs, long References, names from right to left. By SMTP
// in both directions; the steps of its workflows are taken one by one.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMailbox } from '#core/agents/mailbox/create.ts';
import { provisionMailbox } from '#core/agents/mailbox/provision.ts';
import { endDurableRun } from '#core/runs/durable/end.ts';
import { deliverMail } from '#core/conversation/mail/deliver.ts';
import { mayReceive, receiveMail } from '#core/conversation/mail/receive.ts';
import { sendAnswer } from '#core/conversation/mail/send.ts';
import { succeeded } from '#core/runs/run/outcome.ts';
import { openMail } from '#drivers/mail/open.ts';
import { parseMail } from '#drivers/mail/parse.ts';
import type { MailReceiver } from '#drivers/mail/port.ts';
import { startMailReceiver } from '#drivers/mail/receive.ts';
import { testContext, type TestContext, type TestUser } from '../support/context.ts';
import { inbox, type Inbox, nameServer, type NameServer, sendTo, signingDomain } from '../support/mail.ts';
import { type LiveAgent, liveAgent } from '../support/runs.ts';

const DOMAIN = 'agents.example';
const skills = [{ id: 'on_email', name: 'on_email', input_schema: { type: 'object' }, output_schema: {} }];
const faults: unknown[] = [];
let t: TestContext;
let ada: TestUser;
let dns: NameServer;
let relay: Inbox;
let receiver: MailReceiver;
let friend: ReturnType<typeof signingDomain>;
beforeAll(async () => {
  [t, dns, relay] = await Promise.all([testContext(), nameServer(), inbox()]);
  friend = signingDomain(dns.zone, 'friend.example');
  const to = { relay: `smtp://127.0.0.1:${relay.port}?ignoreTLS=true`, dnsServers: [dns.address], arcSealers: [] };
  t.ctx.drivers.mail = openMail({ domain: DOMAIN, hostname: DOMAIN, selector: 'svc', ...to });
  ada = await t.user('ada');
  receiver = await startMailReceiver({
    port: 0,
    listen: '127.0.0.1',
    hostname: DOMAIN,
    recipient: (address) => mayReceive(t.ctx, address),
    deliver: (mail) => receiveMail(t.ctx, mail),
    onError: (error) => void faults.push(error),
    limits: { answerMs: 0 },
  });
});
afterAll(async () => {
  await receiver.close();
  await Promise.all([relay.close(), dns.close(), t.close()]);
  expect(faults).toEqual([]);
});

async function mailboxed(): Promise<LiveAgent> {
  const agent = await liveAgent(t.ctx, ada.actor.user_id, { card: { skills } });
  await t.ctx
    .db('agents')
    .where({ agent_id: agent.id })
    .update({ skills: ['on_email'] });
  await createMailbox(ada, { name: agent.name, mailbox: { allowed_senders: ['eve@friend.example'] } });
  const box = await t.ctx.db('mailboxes').where({ agent_id: agent.id }).first('mailbox_id');
  expect(await provisionMailbox(t.ctx, box?.mailbox_id ?? '')).toBe('ready');
  return agent;
}

interface Heard {
  args: { subject: string; body: string; references: string[]; attachments: { name: string; size_bytes: number }[] };
  threadId: string | null;
  /** Our answer, as it left. */
  answer: { raw: string; subject: string; messageId: string; references: string[] };
}

/** Eve's mail comes in, its run answers, and the answer goes out. */
async function exchange(agent: LiveAgent, headers: readonly string[], body = 'hello'): Promise<Heard> {
  const raw = ['Date: Sat, 28 Nov 2026 10:00:00 +0000', 'MIME-Version: 1.0', ...headers, ...body.split('\n')].join('\r\n');
  const envelope = { from: 'eve@friend.example', to: `${agent.name}@${DOMAIN}` };
  expect(await sendTo(receiver.port, { envelope, raw: `${raw}\r\n` }, friend)).toMatchObject({ code: 250 });
  const mailOf = (direction: 'in' | 'out') => t.ctx.db('mail_messages').where({ direction }).orderBy('number', 'desc').first();
  const incoming = await mailOf('in');
  expect(incoming).toMatchObject({ state: 'accepted' });
  expect(await deliverMail(t.ctx, incoming?.mail_id ?? '')).toBe('done');
  const run = await t.ctx.db('runs').where({ agent_id: agent.id }).orderBy('started_at', 'desc').first();
  const count = relay.mails.length;
  await endDurableRun(t.ctx, run?.run_id ?? '', succeeded('承知しました'));
  expect(await sendAnswer(t.ctx, (await mailOf('out'))?.mail_id ?? '')).toBe('done');
  const sent = relay.mails[count]?.raw ?? Buffer.alloc(0);
  const seen = await parseMail(sent);
  if (!run || !seen) throw new Error('the mail ran nothing');
  const { subject, messageId = '', references } = seen;
  // Safe: these are the arguments that on_email has.
  return { args: run.args as unknown as Heard['args'], threadId: run.thread_id, answer: { raw: sent.toString(), subject, messageId, references } };
}

const base64 = (bytes: Buffer | string): string => Buffer.from(bytes).toString('base64');
/** Cut where a hurried program cuts: after so many bytes, inside of a character too. */
function encodedWords(text: string, bytesOfOne: number): string {
  const bytes = Buffer.from(text);
  const words = Array.from({ length: Math.ceil(bytes.length / bytesOfOne) }, (_, at) => bytes.subarray(at * bytesOfOne, (at + 1) * bytesOfOne));
  return words.map((word) => `=?UTF-8?B?${base64(word)}?=`).join('\r\n ');
}
const rawSubject = ({ answer }: Heard): string => /^Subject: (?:.*\r\n[ \t])*.*/m.exec(answer.raw)?.[0] ?? '';

const SUBJECT = '日本語の長い件名がここにあります、そしてまだまだ続きます ASCII mixed と、最後まで full width　空白';
const FROM = `From: ${encodedWords('\u202Eمرحبا evE', 45)} <eve@friend.example>`;

test.each([
  ['whole characters', 45],
  ['bytes', 21],
])('five answers keep one thread and one subject, cut after %s', async (_, bytesOfOne) => {
  const agent = await mailboxed();
  const to = `To: ${agent.name}@${DOMAIN}`;
  const plain = ['Content-Type: text/plain; charset=utf-8', ''];
  const first = await exchange(agent, [
    FROM,
    to,
    `Subject: ${encodedWords(SUBJECT, bytesOfOne)}`,
    `Message-ID:\r\n <start-${bytesOfOne}@friend.example>`,
    ...plain,
  ]);
  expect(first.args.subject).toBe(SUBJECT);
  expect(first.answer).toMatchObject({ subject: `Re: ${SUBJECT}`, references: [`<start-${bytesOfOne}@friend.example>`] });
  let last = first;
  const chain = [`<start-${bytesOfOne}@friend.example>`, first.answer.messageId];
  for (let round = 1; round <= 5; round += 1) {
    const id = `<r${round}-${bytesOfOne}@friend.example>`;
    // As her program quotes what it got: its subject, with another prefix in some of them.
    const subject = `${['Re: ', 'RE: ', 'Re: ', 'AW: ', 'Re:  '][round - 1]}${SUBJECT}`;
    const references = `References: ${chain.join('\r\n ')}`;
    const headers = [FROM, to, `Subject: ${encodedWords(subject, bytesOfOne)}`, `Message-ID: ${id}`, `In-Reply-To: ${chain.at(-1)}`, references, ...plain];
    last = await exchange(agent, headers);
    expect(last.threadId).toBe(first.threadId);
    expect(last.answer.subject).toBe(`Re: ${SUBJECT}`);
    expect(rawSubject(last)).toBe(rawSubject(first));
    expect(last.answer.references.at(-1)).toBe(id);
    chain.push(id, last.answer.messageId);
  }
  expect(last.answer.references[0]).toBe(chain[0]);
  expect(
    await t.ctx.db('mail_threads').where({ correspondent: 'eve@friend.example', subject: SUBJECT }).whereIn('mailbox_id', mailboxesOf(agent)),
  ).toHaveLength(1);
});

const mailboxesOf = ({ id }: LiveAgent) => t.ctx.db('mailboxes').where({ agent_id: id }).select('mailbox_id');

test('a mail that is an answer already gets no second Re:', async () => {
  const agent = await mailboxed();
  const headers = [FROM, `To: ${agent.name}@${DOMAIN}`, `Subject: ${encodedWords(`Re: ${SUBJECT}`, 45)}`, 'Message-ID: <re@friend.example>', ''];
  expect((await exchange(agent, headers)).answer.subject).toBe(`Re: ${SUBJECT}`);
});

test('an answer whose In-Reply-To has no brackets, and one with 3 KB of References, belong to their conversation', async () => {
  const agent = await mailboxed();
  const about = [FROM, `To: ${agent.name}@${DOMAIN}`];
  const first = await exchange(agent, [...about, 'Subject: figures', 'Message-ID: <f1@friend.example>', '']);
  const bare = first.answer.messageId.slice(1, -1);
  const second = await exchange(agent, [...about, 'Subject: something else', 'Message-ID: <f2@friend.example>', `In-Reply-To: ${bare}`, '']);
  expect(second.threadId).toBe(first.threadId);
  // The subject of the conversation stays, whatever a client makes of it.
  expect(second.answer.subject).toBe('Re: figures');
  const others = Array.from({ length: 60 }, (_, at) => `<${String(at).padStart(3, '0')}.${'x'.repeat(32)}@lists.example>`);
  const references = `References: ${[...others, first.answer.messageId].join('\r\n ')}`;
  expect(references.length).toBeGreaterThan(3_000);
  const listed = [...about, 'Subject: figures', 'Message-ID: f4@friend.example', `References: ${others[0]?.slice(1, -1)} ${bare}`, ''];
  const fourth = await exchange(agent, listed);
  expect(fourth.threadId).toBe(first.threadId);
  expect(fourth.answer.references.at(-1)).toBe('<f4@friend.example>');
  const words = await exchange(agent, [...about, 'Subject: figures', 'Message-ID: <f5@friend.example>', `In-Reply-To: your ${bare} of today`, '']);
  expect(words.threadId).not.toBe(first.threadId);
  const third = await exchange(agent, [...about, 'Subject: figures', 'Message-ID: <f3@friend.example>', references, '']);
  expect(third.threadId).toBe(first.threadId);
  expect(third.answer.references.at(-1)).toBe('<f3@friend.example>');
});

test('a body in ISO-2022-JP is text, and a mail without one brings its file', async () => {
  const agent = await mailboxed();
  const about = [FROM, `To: ${agent.name}@${DOMAIN}`];
  const japanese = '\u001b$B$3$s$K$A$O\u001b(B, ASCII\u001b$B@$3&\u001b(B';
  const subject = `Subject: =?ISO-2022-JP?B?${base64('\u001b$B$3$s$K$A$O\u001b(B')}?= =?ISO-2022-JP?B?${base64('\u001b$B@$3&\u001b(B')}?=`;
  const encoded = ['Content-Type: text/plain; charset=ISO-2022-JP', 'Content-Transfer-Encoding: 7bit', ''];
  const { args } = await exchange(agent, [...about, subject, 'Message-ID: <jp@friend.example>', ...encoded], japanese);
  expect(args).toMatchObject({ subject: 'こんにちは世界', body: 'こんにちは, ASCII世界\n' });
  const file = [
    '--b',
    `Content-Type: application/pdf; name="=?UTF-8?B?${base64('報告書.pdf')}?="`,
    "Content-Disposition: attachment; filename*=UTF-8''%E5%A0%B1%E5%91%8A%E6%9B%B8.pdf",
    'Content-Transfer-Encoding: base64',
    '',
    base64('%PDF-1.7'),
    '--b--',
  ];
  const mixed = ['Subject: file', 'Message-ID: <file@friend.example>', 'Content-Type: multipart/mixed; boundary=b', ''];
  const only = await exchange(agent, [...about, ...mixed], file.join('\n'));
  expect(only.args).toMatchObject({ body: '', attachments: [{ name: '報告書.pdf', size_bytes: 8 }] });
});
