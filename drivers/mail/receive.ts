// Mail comes in by SMTP. What is answered with 250 has been stored: `deliver` resolves after that.
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'; // the protocol, with limits; never ends DATA at a lone LF
import { MAX_MAIL_BYTES, MAX_MAIL_RECIPIENTS, MailAddress } from '#contract/wire/mail.ts';
import { refusalOf } from './guard.ts';
import type { Incoming, MailReceiver, Refusal } from './port.ts';

export interface ReceiverOptions {
  port: number;
  listen: string;
  hostname: string;
  tls?: { cert: Buffer; key: Buffer } | undefined;
  /** Undefined: mail to this address is taken. It is in lower case. */
  recipient(address: string): Promise<Refusal | undefined>;
  deliver(mail: Incoming): Promise<Refusal | undefined>;
  onError(error: unknown): void;
  limits?: Partial<typeof LIMITS>;
}

const LIMITS = {
  connections: 100,
  connectionsOfOne: 10,
  /** Of silence, from the first byte on. */
  idleMs: 30_000,
  sessionMs: 600_000,
  /** Of all mails that are being received. */
  bytesInFlight: 8 * MAX_MAIL_BYTES,
  mailsOfOneSession: 50,
  /** Before an address is confirmed or refused, so that both take as long. */
  answerMs: 40,
};

const BUSY: Refusal = { code: 451, message: '4.3.2 Too busy: try again in a few minutes' };
const BROKEN: Refusal = { code: 451, message: '4.3.0 The mail could not be stored: try again later' };
const TOO_LARGE: Refusal = { code: 552, message: `5.3.4 The mail is larger than ${MAX_MAIL_BYTES} bytes` };

export async function startMailReceiver(o: ReceiverOptions): Promise<MailReceiver> {
  const limits = { ...LIMITS, ...o.limits };
  const clients = new Map<string, number>();
  const mails = new WeakMap<SMTPServerSession, number>();
  let inFlight = 0;

  async function read(stream: SMTPServerDataStream): Promise<{ raw: Buffer } | Refusal> {
    const pieces: Buffer[] = [];
    let size = 0;
    let refused: Refusal | undefined;
    const countedBytes = () => (refused ? 0 : size);
    try {
      // What is refused is read to its end all the same, and dropped: the peer hears the answer only then.
      for await (const piece of stream as AsyncIterable<Buffer>) {
        if (refused) continue;
        if (size + piece.length > MAX_MAIL_BYTES) refused = TOO_LARGE;
        else if (inFlight + piece.length > limits.bytesInFlight) refused = BUSY;
        if (refused) {
          inFlight -= size;
          pieces.length = 0;
          continue;
        }
        size += piece.length;
        inFlight += piece.length;
        pieces.push(piece);
      }
      return refused ?? { raw: Buffer.concat(pieces) };
    } finally {
      inFlight -= countedBytes();
    }
  }

  async function take(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<Refusal | undefined> {
    const got = await read(stream);
    if ('code' in got) return got;
    const seen = (mails.get(session) ?? 0) + 1;
    mails.set(session, seen);
    if (seen > limits.mailsOfOneSession) return { code: 451, message: '4.7.0 Too many mails over one connection: open another one' };
    const bad = refusalOf(got.raw);
    if (bad) return bad;
    inFlight += got.raw.length;
    try {
      const { mailFrom, rcptTo } = session.envelope;
      return await o.deliver({
        envelopeFrom: mailFrom === false ? '' : mailFrom.address.toLowerCase(),
        recipients: [...new Set(rcptTo.map(({ address }) => address.toLowerCase()))],
        clientIp: session.remoteAddress,
        helo: session.hostNameAppearsAs,
        raw: got.raw,
      });
    } finally {
      inFlight -= got.raw.length;
    }
  }

  const answer = (work: Promise<Refusal | undefined>, done: (error?: Error | null) => void): void => {
    work
      .catch((error: unknown) => {
        o.onError(error);
        return BROKEN;
      })
      .then((refusal) => done(refusal ? replyOf(refusal) : null))
      .catch(o.onError);
  };

  const server = new SMTPServer({
    name: o.hostname,
    banner: 'agents',
    size: MAX_MAIL_BYTES,
    authOptional: true,
    // There is no sign-in, and without a certificate of the installation no TLS: the key of the library's own
    // certificate is public.
    disabledCommands: o.tls ? ['AUTH'] : ['AUTH', 'STARTTLS'],
    ...o.tls,
    hideSMTPUTF8: true,
    disableReverseLookup: true,
    logger: false,
    maxClients: limits.connections,
    socketTimeout: limits.idleMs,
    closeTimeout: 5_000,
    onConnect(session, done) {
      const open = (clients.get(session.remoteAddress) ?? 0) + 1;
      clients.set(session.remoteAddress, open);
      done(open > limits.connectionsOfOne ? replyOf({ code: 421, message: '4.7.0 Too many connections from your address' }) : null);
    },
    onClose(session) {
      const left = (clients.get(session.remoteAddress) ?? 1) - 1;
      if (left > 0) clients.set(session.remoteAddress, left);
      else clients.delete(session.remoteAddress);
    },
    onMailFrom({ address }, _session, done) {
      done(
        address === '' || MailAddress.safeParse(address).success ? null : replyOf({ code: 553, message: '5.1.7 The sender is no address of ASCII characters' }),
      );
    },
    onRcptTo({ address }, session, done) {
      if (session.envelope.rcptTo.length >= MAX_MAIL_RECIPIENTS) return done(replyOf({ code: 452, message: '4.5.3 Too many recipients' }));
      // Only postmaster is an address without a domain (RFC 5321, 4.5.1).
      if (address.toLowerCase() !== 'postmaster' && !MailAddress.safeParse(address).success)
        return done(replyOf({ code: 553, message: '5.1.3 The recipient is no address of ASCII characters' }));
      const floor = new Promise((resolve) => setTimeout(resolve, limits.answerMs));
      answer(
        Promise.all([o.recipient(address.toLowerCase()), floor]).then(([refusal]) => refusal),
        done,
      );
    },
    onData(stream, session, done) {
      answer(take(stream, session), done);
    },
  });
  // What a peer does to its own connection is no fault of ours.
  server.on('error', (error: unknown) => {
    if (!isOfPeer(error)) o.onError(error);
  });
  server.server.on('connection', (socket) => {
    const late = setTimeout(() => socket.destroy(), limits.sessionMs);
    socket.once('close', () => clearTimeout(late));
  });
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new Error(`port ${o.port} is taken: stop what uses it, or set SVC_MAIL_PORT to another`) : error),
    );
    server.listen(o.port, o.listen, () => resolve());
  });
  const bound = server.server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : o.port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function replyOf({ code, message }: Refusal): Error {
  return Object.assign(new Error(message), { responseCode: code });
}

function isOfPeer(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    ('remoteAddress' in error || ('code' in error && /^(E[A-Z]+|ERR_SSL\w*|TLSError|SocketError)$/.test(String(error.code))))
  );
}
