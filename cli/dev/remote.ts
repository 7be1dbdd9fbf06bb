// The box's half of `svc dev`, over one session of the person's own ssh: copied there once per version,
// started, asked one thing after the other.
import type { ChildProcess } from 'node:child_process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { text } from 'node:stream/consumers';
import { CliError } from '../lib/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { endOf, type Session, startSsh } from '../ssh/run.ts';
import { shellQuoted } from '../lib/shell-quoted.ts';
import { BOX_PROGRAM, boxBundle, type Bundle } from './bundle.ts';
import { type Answer, type Ask, type Frame, readFrames, BoxMessage, writeFrame } from './frames.ts';

export interface Remote {
  /** @throws CliError when the box says that it failed, or is gone */
  ask<I extends Answer['is']>(head: Ask, is: I, body?: Uint8Array): Promise<Frame<Extract<Answer, { is: I }>>>;
  /** Resolves with why when the session has ended. */
  ended: Promise<string>;
  close(): Promise<void>;
}

export interface RemoteEvents {
  log(text: string): void;
  /** Something in the box changed. */
  changed(): void;
}

export async function startRemote(session: Session, events: RemoteEvents): Promise<Remote> {
  const bundle = await boxBundle();
  const root = `~/.svc-dev/${bundle.id}`;
  const node = `NODE_COMPILE_CACHE=${root}/compiled exec node --disable-warning=ExperimentalWarning`;
  const program = `test -e ${root}/complete || exit 77; ${node} ${root}/${BOX_PROGRAM}`;
  const start = (): Promise<ChildProcess> => startSsh(session, ['-T', session.files.alias, program], ['pipe', 'pipe', 'pipe']);
  const first = await speak(await start(), events);
  if (first !== 'not there') return first;
  await copy(session, bundle);
  const second = await speak(await start(), events);
  if (second === 'not there') throw new CliError('The tool could not be copied into the dev box; is its disk full? Look with: svc ssh');
  return second;
}

/** The first words of the program, or that it does not exist. */
async function speak(child: ChildProcess, events: RemoteEvents): Promise<Remote | 'not there'> {
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw new Error('ssh was started without pipes');
  stdin.on('error', () => undefined);
  const waiting: { resolve: (frame: Frame<Answer>) => void; reject: (error: Error) => void }[] = [];
  let errorText = '';
  stderr.on('data', (chunk: Buffer) => {
    errorText = (errorText + chunk.toString()).slice(-2_000);
    events.log(chunk.toString());
  });
  const gone = (why: string): void => {
    for (const one of waiting.splice(0)) one.reject(new CliError(why, EXIT.unreachable));
  };
  const ended = endOf(child).then((code) => (code === 77 ? 'not there' : `The connection to the dev box ended (${code}).`));
  void (async () => {
    try {
      for await (const frame of readFrames(stdout, BoxMessage)) {
        const { head } = frame;
        if (head.is === 'log') events.log(head.text);
        else if (head.is === 'changed') events.changed();
        else waiting.shift()?.resolve({ head, body: frame.body });
      }
    } catch (error) {
      gone(`The dev box answers in a way that is not understood: ${error instanceof Error ? error.message : String(error)}`);
      child.kill();
    }
    gone(await ended);
  })();
  const remote: Remote = {
    async ask(head, is, body) {
      const answer = new Promise<Frame<Answer>>((resolve, reject) => waiting.push({ resolve, reject }));
      answer.catch(() => undefined); // awaited below
      await writeFrame(stdin, head, body);
      const frame = await answer;
      if (frame.head.is === 'failed') throw new CliError(frame.head.message);
      if (!isOf(frame, is)) throw new Error(`The dev box answered ${frame.head.is} where ${is} was due.`);
      return frame;
    },
    ended,
    async close() {
      stdin.end();
      const timer = setTimeout(() => child.kill(), 5_000);
      await ended.catch(() => undefined);
      clearTimeout(timer);
    },
  };
  // It is there when it answers; the program's absence ends the session at once.
  const there = await Promise.race([remote.ask({ do: 'scan' }, 'tree').then(() => 'there', (error: unknown) => (String(error).includes('The first frame begins') ? 'there' : 'gone')), ended]); // prettier-ignore
  if (there === 'there') return remote;
  const why = await ended;
  if (why === 'not there') return why;
  throw new CliError(`${why}${errorText === '' ? '' : ` ${errorText.trim().split('\n').at(-1) ?? ''}`}`, EXIT.unreachable);
}

// Safe: the kind of the answer was compared.
function isOf<I extends Answer['is']>(frame: Frame<Answer>, is: I): frame is Frame<Extract<Answer, { is: I }>> {
  return frame.head.is === is;
}

/** Complete or not at all: unpacked aside, then renamed. Older versions go. */
async function copy(session: Session, { id, files: contents }: Bundle): Promise<void> {
  const partial = `~/.svc-dev/${id}.partial`;
  const command = [
    `rm -rf ~/.svc-dev && mkdir -p ${partial}`,
    `tar -xf - -C ${partial}`,
    `mkdir -p ${partial}/sdk && ln -s /usr/local/lib/node_modules/@svc/sdk ${partial}/sdk/typescript`,
    `touch ${partial}/complete && mv ${partial} ~/.svc-dev/${shellQuoted(id)}`,
  ].join(' && ');
  const child = await startSsh(session, ['-T', session.files.alias, command], ['pipe', 'ignore', 'pipe']);
  const { stdin, stderr } = child;
  if (!stdin || !stderr) throw new Error('ssh was started without pipes');
  const [code, words] = await Promise.all([endOf(child), text(stderr), pipeline(Readable.from(archive(contents)), stdin).catch(() => undefined)]);
  if (code !== 0) throw new CliError(`The tool could not be copied into the dev box: ${words.trim().split('\n').at(-1) ?? code}`, EXIT.unreachable);
}

/** A plain tar of a few files in memory. */
function* archive(files: Bundle['files']): Generator<Buffer> {
  for (const { path, content } of files) {
    const head = Buffer.alloc(512);
    head.write(path, 0, 100, 'utf8');
    head.write('0000644\0', 100);
    head.write('0000000\0', 108);
    head.write('0000000\0', 116);
    head.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
    head.write('00000000000\0', 136);
    head.write('        ', 148);
    head.write('0ustar\u000000', 156);
    const sum = head.reduce((all, byte) => all + byte, 0);
    head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    yield head;
    yield content;
    yield Buffer.alloc((512 - (content.length % 512)) % 512);
  }
  yield Buffer.alloc(1_024);
}
