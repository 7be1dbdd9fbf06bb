// The mail server against raw sockets, and what is verified, on a real name server.
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ends } from '#test/support/ends.ts';
import { sealMessage } from 'mailauth';
import { MAX_MAIL_BYTES } from '#contract/wire/mail.ts';
import { inbox, nameServer, type NameServer, sendTo, signingDomain } from '#test/support/mail.ts';
import { bounceIn } from './bounce.ts';
import { refusalOf } from './guard.ts';
import { textOfHtml } from './html-text.ts';
import { openMail } from './open.ts';
import { parseMail } from './parse.ts';
import type { Incoming, MailReceiver } from './port.ts';
import { startMailReceiver } from './receive.ts';
import { verifyMail } from './verify.ts';
import { createMailResolver } from './resolver.ts';

let dns: NameServer;
let receiver: MailReceiver;
const taken: Incoming[] = [];
const faults: unknown[] = [];
const limits = { connectionsOfOne: 4, idleMs: 1_000, answerMs: 60 };
beforeAll(async () => {
  dns = await nameServer();
  receiver = await startMailReceiver({
    port: 0,
    listen: '127.0.0.1',
    hostname: 'mx.agents.example',
    recipient: async (address) => (address.startsWith('known') ? undefined : { code: 550, message: '5.1.1 There is no such mailbox' }),
    deliver: async (mail) => void taken.push(mail),
    onError: (error) => void faults.push(error),
    limits,
  });
});
afterAll(async () => {
  await receiver.close();
  await dns.close();
  expect(faults).toEqual([]);
});

/** Says each line when the server has answered the one before; resolves with all it answered. */
async function talk(lines: readonly (string | Buffer)[]): Promise<string[]> {
  const socket: Socket = connect(receiver.port, '127.0.0.1');
  const answers: string[] = [];
  let waiting: (() => void) | undefined;
  let seen = '';
  socket.on('data', (piece) => {
    seen += piece.toString();
    for (let end = seen.indexOf('\r\n'); end !== -1; end = seen.indexOf('\r\n')) {
      const line = seen.slice(0, end);
      seen = seen.slice(end + 2);
      if (/^\d{3} /.test(line)) answers.push(line);
    }
    waiting?.();
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => undefined);
  const next = async (count: number): Promise<void> => {
    while (answers.length < count && !socket.destroyed) await Promise.race([closed, new Promise<void>((resolve) => (waiting = resolve))]);
  };
  await next(1);
  for (const line of lines) {
    if (socket.destroyed) break;
    const count = answers.length + 1;
    socket.write(line);
    await next(count);
  }
  socket.destroy();
  return answers.map((line) => line.slice(0, 9));
}
const hello = ['EHLO peer.example\r\n', 'MAIL FROM:<eve@friend.example>\r\n', 'RCPT TO:<known@agents.example>\r\n', 'DATA\r\n'];
const head = 'From: eve@friend.example\r\nSubject: hi\r\n';

test('a mail is taken when it ends, and its dots are its own', async () => {
  taken.length = 0;
  const answers = await talk([...hello, `${head}\r\n..one\r\ntwo\r\n.\r\n`]);
  expect(answers.at(-1)).toMatch(/^250 /);
  expect(taken).toMatchObject([{ envelopeFrom: 'eve@friend.example', recipients: ['known@agents.example'], clientIp: '127.0.0.1', helo: 'peer.example' }]);
  expect(taken[0]?.raw.toString()).toBe(`${head}\r\n.one\r\ntwo\r\n`);
});

test.each([
  ['LF . LF', 'one\n.\nMAIL FROM:<admin@agents.example>\nRCPT TO:<known2@agents.example>\nDATA\nFrom: admin@agents.example\n\nsmuggled\r\n.\r\n'],
  ['LF . CRLF', 'one\n.\r\nMAIL FROM:<admin@agents.example>\r\nRCPT TO:<known2@agents.example>\r\nDATA\r\nFrom: x@y.example\r\n\r\nsmuggled\r\n.\r\n'],
  ['CRLF . LF', 'one\r\n.\nMAIL FROM:<admin@agents.example>\r\n\r\nsmuggled\r\n.\r\n'],
  ['CR . CR', 'one\r.\rMAIL FROM:<admin@agents.example>\r\n.\r\n'],
])('smuggling: %s ends no mail, and the mail that has it is refused', async (_, body) => {
  taken.length = 0;
  const answers = await talk([...hello, `${head}\r\n${body}`, 'NOOP\r\n']);
  expect(answers.slice(-2)).toEqual(['550 5.6.0', expect.stringMatching(/^250 /)]);
  expect(taken).toEqual([]);
});

test.each([
  ['two senders', `${head}From: boss@bank.example\r\n\r\nx\r\n`],
  ['no sender', 'Subject: x\r\n\r\nx\r\n'],
  ['a line too long', `${head}X: ${'a'.repeat(999)}\r\n\r\nx\r\n`],
  ['no header', 'this is no mail\r\n\r\nx\r\n'],
  ['a NUL', `${head}X: \0\r\n\r\nx\r\n`],
  ['very many headers', `${head}${'A: b\r\n'.repeat(600)}\r\nx\r\n`],
])('%s: 550', (_, raw) => expect(refusalOf(Buffer.from(raw))).toMatchObject({ code: 550 }));

test('the limits hold: size, recipients, unknown addresses in the same time, junk, silence, connections', async () => {
  taken.length = 0;
  const big = await sendTo(receiver.port, { from: 'eve@friend.example', to: 'known@agents.example', text: 'x'.repeat(MAX_MAIL_BYTES) });
  expect(big).toMatchObject({ code: 552 });
  const declared = await talk(['EHLO x\r\n', `MAIL FROM:<a@b.example> SIZE=${MAX_MAIL_BYTES + 1}\r\n`]);
  expect(declared.at(-1)).toMatch(/^552/);
  const many = await talk(['EHLO x\r\n', 'MAIL FROM:<a@b.example>\r\n', ...Array.from({ length: 51 }, (_, at) => `RCPT TO:<known${at}@agents.example>\r\n`)]);
  expect(many.at(-2)).toMatch(/^250/);
  expect(many.at(-1)).toBe('452 4.5.3');
  const since = performance.now();
  expect((await talk(['EHLO x\r\n', 'MAIL FROM:<a@b.example>\r\n', 'RCPT TO:<stranger@agents.example>\r\n'])).at(-1)).toBe('550 5.1.1');
  expect(performance.now() - since).toBeGreaterThan(limits.answerMs);
  for (const junk of [
    'RCPT TO:<known\u0000@agents.example>\r\n',
    'RCPT TO:<"known"@agents.example>\r\n',
    'RCPT TO:<known@[127.0.0.1]>\r\n',
    'RCPT TO:<ünknown@agents.example>\r\n',
  ])
    expect((await talk(['EHLO x\r\n', 'MAIL FROM:<a@b.example>\r\n', junk])).at(-1), junk).toMatch(/^5/);
  expect((await talk(['AUTH PLAIN AAAA\r\n', 'STARTTLS\r\n', 'VRFY known\r\n'])).slice(1, 3)).toEqual([
    expect.stringMatching(/^5/),
    expect.stringMatching(/^5/),
  ]);
  // A silent client cannot hold a connection.
  await new Promise<void>((resolve) => {
    const silent = connect(receiver.port, '127.0.0.1');
    silent.on('data', () => undefined).on('error', () => undefined);
    silent.once('close', () => resolve());
  });
  const crowd = Array.from({ length: 6 }, () => connect(receiver.port, '127.0.0.1'));
  const greetings = await Promise.all(
    crowd.map((socket) => new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString().slice(0, 3))))),
  );
  crowd.forEach((socket) => socket.destroy());
  expect(greetings.sort()).toEqual(['220', '220', '220', '220', '421', '421']);
  expect(taken).toEqual([]);
});

/** As it came over the wire, from an address that no SPF names. */
async function wire(mail: object, domain?: ReturnType<typeof signingDomain>): Promise<Incoming> {
  const box = await inbox();
  try {
    await sendTo(box.port, { to: 'known@agents.example', text: 'hello', ...mail }, domain);
    const [got] = box.mails;
    return { envelopeFrom: got?.from ?? '', recipients: got?.to ?? [], clientIp: '192.0.2.1', helo: 'peer.example', raw: got?.raw ?? Buffer.alloc(0) };
  } finally {
    await box.close();
  }
}
const verify = (mail: Incoming, arcSealers: string[] = []) =>
  verifyMail(mail, { hostname: 'mx.agents.example', resolver: createMailResolver([dns.address]), arcSealers });

test('who sent it: signed, forged, by an address of SPF, signed by another domain, altered, with name servers down', async () => {
  const friend = signingDomain(dns.zone, 'friend.example');
  const other = signingDomain(dns.zone, 'other.example', { dmarc: 'v=DMARC1; p=quarantine' });
  const plain = signingDomain(dns.zone, 'plain.example', { dmarc: null });
  const signed = await wire({ from: 'Eve <Eve@Friend.example>' }, friend);
  expect(await verify(signed)).toMatchObject({ from: 'eve@friend.example', dkim: 'pass', dmarc: 'pass', authenticated: true });
  expect(await verify(await wire({ from: 'eve@friend.example' }))).toMatchObject({ spf: 'fail', dmarc: 'fail', policy: 'reject', authenticated: false });
  expect(await verify(await wire({ from: 'eve@friend.example' }, other))).toMatchObject({ dkim: 'pass', dmarc: 'fail', authenticated: false });
  expect(await verify(await wire({ from: 'eve@other.example' }))).toMatchObject({ dmarc: 'fail', policy: 'quarantine', authenticated: false });
  // No policy: nothing says that the address in From is theirs.
  expect(await verify(await wire({ from: 'eve@plain.example' }, plain))).toMatchObject({ dmarc: 'none', authenticated: false });
  expect(await verify({ ...signed, raw: Buffer.from(signed.raw.toString().replace('hello', 'hullo')) })).toMatchObject({ dmarc: 'fail', authenticated: false });
  const bySpf = await wire({ from: 'eve@friend.example' });
  dns.zone['friend.example'] = { TXT: ['v=spf1 ip4:192.0.2.1 -all'] };
  expect(await verify(bySpf)).toMatchObject({ spf: 'pass', dmarc: 'pass', authenticated: true });
  expect(await verify({ ...bySpf, envelopeFrom: 'eve@other.example' })).toMatchObject({ dmarc: 'fail', authenticated: false });
  dns.broken = true;
  expect(await verify(signed)).toMatchObject({ dmarc: 'temperror', authenticated: false });
  dns.broken = false;
  expect(await verify(await wire({ from: 'a@friend.example, b@friend.example' }, friend))).toMatchObject({ from: undefined, authenticated: false });
});

test('a forwarder’s seal counts where the operator names it, and only if it is the last', async () => {
  const friend = signingDomain(dns.zone, 'friend.example');
  const list = signingDomain(dns.zone, 'list.example');
  const signed = await wire({ from: 'eve@friend.example' }, friend);
  const changed = Buffer.from(signed.raw.toString().replace('hello', 'hello\r\n-- \r\nthe list'));
  const seal = async (raw: Buffer, by: typeof list, result: string) =>
    Buffer.concat([
      Buffer.from(
        await sealMessage(raw, {
          signingDomain: by.dkim.domainName,
          selector: by.dkim.keySelector,
          privateKey: by.dkim.privateKey,
          authResults: `mx.${by.dkim.domainName}; dmarc=${result} header.from=friend.example`,
          cv: 'none',
        }),
      ),
      raw,
    ]);
  const sealed = { ...signed, raw: await seal(changed, list, 'pass') };
  expect(await verify(sealed)).toMatchObject({ arc: 'pass', dmarc: 'fail', authenticated: false });
  expect(await verify(sealed, ['list.example'])).toMatchObject({ arc: 'pass', authenticated: true });
  expect(await verify({ ...signed, raw: await seal(changed, list, 'fail') }, ['list.example'])).toMatchObject({ authenticated: false });
  const evil = signingDomain(dns.zone, 'evil.example');
  expect(await verify({ ...signed, raw: await seal(changed, evil, 'pass') }, ['list.example'])).toMatchObject({ authenticated: false });
});

test('HTML alone becomes text; a bounce says its status; deep nesting is refused', async () => {
  expect(textOfHtml('<html><head><title>t</title></head><style>p{}</style><p>Hi &amp; bye</p><script>alert(1)</script>there<br>x</html>')).toBe(
    'Hi & bye\nthere\nx',
  );
  for (const junk of ['<', '<style', '<!--', '<a ', '&#']) expect(ends(() => textOfHtml(junk.repeat(1_000_000 / junk.length)))).toEqual(expect.any(String));
  const nested = (depth: number) =>
    Array.from({ length: depth }, (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`).join('') +
    'Content-Type: text/plain\r\n\r\nx\r\n';
  expect(await parseMail(Buffer.from(`${head}${nested(5)}`))).toBeDefined();
  expect(await parseMail(Buffer.from(`${head}${nested(500)}`))).toBeUndefined();
  const report = [
    'From: mailer-daemon@friend.example',
    'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'It failed.',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.friend.example',
    '',
    'Final-Recipient: rfc822; eve@friend.example',
    'Action: failed',
    'Status: 5.1.1',
    '',
    '--b--',
    '',
  ].join('\r\n');
  expect(await bounceIn(Buffer.from(report))).toEqual({ action: 'failed', status: '5.1.1' });
  expect(await bounceIn(Buffer.from(`${head}\r\nStatus: 5.1.1\r\n`))).toBeUndefined();
});

test('mail is sent to the servers of the recipient’s domain, and never to an address inside', async () => {
  const box = await inbox();
  dns.zone['far.example'] = { MX: ['mx.far.example'] };
  const mail = { envelopeFrom: 'bounce+x@agents.example', to: 'bob@far.example', raw: Buffer.from(`${head}\r\nx\r\n`) };
  const configuration = { domain: 'agents.example', hostname: 'mx.agents.example', selector: 'svc', dnsServers: [dns.address], arcSealers: [] };
  const lookup = async () => ['127.0.0.1'];
  const open = (more: object) => openMail(configuration, { port: box.port, lookup, ...more });
  await expect(open({}).send(mail)).rejects.toMatchObject({ permanent: false, code: 'not_reached' });
  await open({ mayBeInternal: true }).send(mail);
  expect(box.mails).toMatchObject([{ from: 'bounce+x@agents.example', to: ['bob@far.example'] }]);
  box.answer = 450;
  await expect(open({ mayBeInternal: true }).send(mail)).rejects.toMatchObject({ permanent: false, code: 'smtp_450' });
  box.answer = 550;
  await expect(open({ mayBeInternal: true }).send(mail)).rejects.toMatchObject({ permanent: true, code: 'smtp_550' });
  dns.zone['far.example'] = { MX: ['.'] };
  await expect(open({ mayBeInternal: true }).send(mail)).rejects.toMatchObject({ permanent: true, code: 'no_mail_domain' });
  await box.close();
});
