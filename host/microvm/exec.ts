// Programs in the guest, run through its first process (the protocol is described in guest/exec.c).
import { constants } from 'node:os';
import type { GuestStream } from './mux/stream.ts';
import { MicroVmError } from './images/tools.ts';
import type { ExecOptions } from './port.ts';

const ARGUMENTS = 1000;
const REQUEST_LIMIT = 200 * 1024;
const OUTPUT_LIMIT = 1 << 20;

function lengthOf(bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(bytes.length);
  return head;
}

const framed = (bytes: Uint8Array): Buffer => Buffer.concat([lengthOf(bytes), bytes]);

/** Fields of a request, each ended by a zero byte. */
export function execRequest(command: string, args: string[], options: ExecOptions): Buffer {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: options.user === 'root' ? '/root' : '/home/agent', LANG: 'C.UTF-8', ...options.env };
  const words = [command, ...args];
  const pairs = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const fields = [options.user ?? 'agent', options.name ?? '', options.cwd ?? '', String(words.length), ...words, ...pairs];
  const bad = fields.find((field) => field.includes('\0'));
  const bytes = Buffer.from(fields.map((field) => `${field}\0`).join(''));
  if (bad !== undefined || command === '' || words.length + pairs.length > ARGUMENTS || bytes.length > REQUEST_LIMIT)
    throw new MicroVmError(
      'qemu_refused',
      `A program in the guest may get ${ARGUMENTS} arguments and variables in ${REQUEST_LIMIT} bytes, none with a zero byte.`,
    );
  return bytes;
}

/**
 * Drives one exec stream to its end; answers the exit code. `kill` ends the program from outside the stream.
 */
export function runExec(stream: GuestStream, request: Buffer, options: ExecOptions, kill: () => void): Promise<number> {
  return new Promise((resolve, reject) => {
    let rest: Buffer = Buffer.alloc(0);
    let code: number | undefined;
    const abort = () => kill();
    const settle = (settled: () => void) => {
      options.signal?.removeEventListener('abort', abort);
      stream.destroy();
      settled();
    };
    let unhandled = 0;
    const resume = (): void => {
      unhandled -= 1;
      if (unhandled === 0) stream.resume();
    };
    const hold = (until: unknown): void => {
      if (!(until instanceof Promise)) return;
      unhandled += 1;
      stream.pause();
      until.then(resume, resume);
    };
    stream.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 5) {
        const length = rest.readUInt32LE(1);
        if (length > OUTPUT_LIMIT) return settle(() => reject(new MicroVmError('guest_unresponsive', 'The guest broke the exec protocol.')));
        if (rest.length < 5 + length) return;
        const kind = rest.readUInt8(0);
        const body = rest.subarray(5, 5 + length);
        rest = rest.subarray(5 + length);
        if (kind === 1 || kind === 2) hold(options.onOutput?.(kind === 1 ? 'stdout' : 'stderr', body));
        else if (kind === 3 && length === 4) code = body.readUInt32LE(0);
        else return settle(() => reject(new MicroVmError('qemu_refused', `The guest could not start the program: ${body.toString().slice(0, 200)}`)));
      }
    });
    stream.once('end', () => {
      const exit = code;
      if (exit === undefined) settle(() => reject(new MicroVmError('machine_gone', 'The program ended without an exit code.')));
      else settle(() => resolve(exit));
    });
    stream.once('error', (cause) => settle(() => reject(new MicroVmError('machine_gone', `The program's stream was lost: ${cause.message}`, { cause }))));
    options.signal?.addEventListener('abort', abort, { once: true });
    stream.write(framed(request));
    void feed(stream, options.stdin).catch(() => stream.destroy());
    if (options.signal?.aborted === true) kill();
  });
}

async function feed(stream: GuestStream, stdin: AsyncIterable<Uint8Array> | undefined): Promise<void> {
  for await (const chunk of stdin ?? []) {
    if (stream.destroyed) return;
    if (chunk.length === 0) continue;
    if (!stream.write(framed(chunk))) await drainedOrClosed(stream);
  }
  if (!stream.destroyed) stream.write(lengthOf(new Uint8Array()));
}

function drainedOrClosed(stream: GuestStream): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    stream.on('drain', done).on('close', done);
  });
}

export const errnoName = (value: number): string => Object.entries(constants.errno).find(([, number]) => number === value)?.[0] ?? String(value);
