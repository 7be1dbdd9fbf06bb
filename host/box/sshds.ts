// The sshds of one box. To start one takes most of a second under emulation, so one waits ahead for the next
// session: it has said its first words, and learns the key that it takes when its session comes.
import { randomBytes } from 'node:crypto';
import { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { BoxGreeting } from '#drivers/box/port.ts';
import { SandboxError } from '#drivers/sandbox/port.ts';
import { parseJson } from '#drivers/runtime/lines.ts';

const LONGEST_GREETING = 4_096;
/** The listener is there a moment after the machine. */
const TRIES = 50;
const TRY_MS = 20;
/**
 * What the person does comes first: the next one is started this long after the last session began, and
 * before the box is suspended.
 */
const NEXT_MS = 10_000;
const SPEAK_MS = 10_000;

interface Sshd {
  slot: string;
  stream: Duplex;
  /** Its output before the first reader. */
  said: Buffer[];
  /** Resolves when it has said something or is gone. */
  spoke: Promise<void>;
}

export interface Sshds {
  /**
   * A stream whose first line is a BoxGreeting; all after it is between the client and an sshd that takes
   * only that key.
   */
  session(): Duplex;
  /** Sees to it that one waits; resolves when it is ready. */
  prepare(): Promise<void>;
  /** The machine is gone. */
  drop(): void;
}

/** `connect`: to the listener in the box. */
export function createSshds(connect: () => Promise<Duplex>): Sshds {
  let waiting: Promise<Sshd> | undefined;
  let timer: NodeJS.Timeout | undefined;

  function ahead(): Promise<Sshd> {
    if (waiting !== undefined) return waiting;
    const mine = start(connect);
    waiting = mine;
    mine.catch(() => {
      if (waiting === mine) waiting = undefined;
    });
    return mine;
  }
  async function take(): Promise<Sshd> {
    const mine = ahead();
    waiting = undefined;
    const sshd = await mine;
    return sshd.stream.destroyed ? start(connect) : sshd;
  }
  function later(): void {
    clearTimeout(timer);
    timer = setTimeout(() => void ahead().catch(() => undefined), NEXT_MS).unref();
  }

  async function admit({ key }: BoxGreeting): Promise<Sshd> {
    for (let tries = 0; ; tries++) {
      const sshd = await take();
      if (await allow(connect, sshd.slot, key)) {
        later();
        return sshd;
      }
      sshd.stream.destroy();
      if (tries >= TRIES) throw new SandboxError('internal', 'The dev box does not answer on SSH.');
      await delay(TRY_MS);
    }
  }

  return {
    session: () => new Session(admit),
    async prepare() {
      const sshd = await ahead().catch(() => undefined);
      if (sshd === undefined) return;
      await Promise.race([sshd.spoke, delay(SPEAK_MS, undefined, { ref: false })]);
      if (sshd.stream.destroyed) waiting = undefined;
    },
    drop() {
      clearTimeout(timer);
      void waiting?.then(
        ({ stream }) => stream.destroy(),
        () => undefined,
      );
      waiting = undefined;
    },
  };
}

async function start(connect: () => Promise<Duplex>): Promise<Sshd> {
  const slot = randomBytes(12).toString('hex');
  const stream = await connect();
  const output: Buffer[] = [];
  const spoke = new Promise<void>((resolve) => {
    stream.once('close', resolve).on('error', () => resolve());
    stream.once('data', (chunk: Buffer) => {
      output.push(chunk);
      stream.pause();
      resolve();
    });
  });
  stream.write(`${JSON.stringify({ slot })}\n`);
  return { slot, stream, said: output, spoke };
}

/** False: the listener did not take it. */
async function allow(connect: () => Promise<Duplex>, slot: string, key: string): Promise<boolean> {
  const connection = await connect();
  connection.end(`${JSON.stringify({ slot, key })}\n`);
  return (await text(connection).catch(() => '')) === 'ok\n';
}

class Session extends Duplex {
  readonly #admit: (greeting: BoxGreeting) => Promise<Sshd>;
  #line = Buffer.alloc(0);
  #sshd: Duplex | undefined;

  constructor(admit: (greeting: BoxGreeting) => Promise<Sshd>) {
    super();
    this.#admit = admit;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#sshd !== undefined) return void this.#sshd.write(chunk, done);
    this.#line = Buffer.concat([this.#line, chunk]);
    const end = this.#line.indexOf('\n');
    if (end < 0) return done(this.#line.length > LONGEST_GREETING ? notAGreeting() : null);
    const greeting = BoxGreeting.safeParse(parseJson(this.#line.subarray(0, end).toString()));
    if (!greeting.success) return done(notAGreeting());
    const rest = this.#line.subarray(end + 1);
    this.#admit(greeting.data).then((sshd) => this.#join(sshd, rest, done), done);
  }

  #join({ stream, said }: Sshd, rest: Buffer, done: (error?: Error | null) => void): void {
    if (this.destroyed) return void stream.destroy();
    this.#sshd = stream;
    for (const chunk of said) this.push(chunk);
    let ended = false;
    stream.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) stream.pause();
    });
    stream.once('end', () => {
      ended = true;
      this.push(null);
    });
    stream.on('error', (error) => this.destroy(error));
    stream.once('close', () => {
      if (!ended) this.destroy();
    });
    stream.resume();
    if (rest.length > 0) stream.write(rest, done);
    else done();
  }

  override _read(): void {
    this.#sshd?.resume();
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#sshd?.end();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#sshd?.destroy();
    done(error);
  }
}

const notAGreeting = (): SandboxError => new SandboxError('bad_request', 'A connection to a dev box begins with one line: its session and its key.');
