// The tool under test: in this process with captured streams, or as a process of its own.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { run } from '../parser/run.ts';

export interface Ran {
  code: number;
  out: string;
  err: string;
}

export interface Tool {
  home: string;
  run(argv: string[], more?: { stdin?: string | Readable; env?: Record<string, string>; interactive?: boolean }): Promise<Ran>;
  /** A process of its own, started by the launcher. */
  spawn(argv: string[], env?: Record<string, string>): Child;
  remove(): Promise<void>;
}

interface Child {
  process: ChildProcess;
  err(): string;
  ended: Promise<Ran>;
  /** Resolves with the match once standard error has it. */
  saw(pattern: RegExp): Promise<RegExpExecArray>;
}

const launcher = fileURLToPath(new URL('../bin.mjs', import.meta.url));
const bin = fileURLToPath(new URL('../bin', import.meta.url));
const repository = fileURLToPath(new URL('../..', import.meta.url));

export async function makeTool(apiUrl: string, secretsDir: string): Promise<Tool> {
  const home = await mkdtemp(join(tmpdir(), 'svc-cli-'));
  const env = { SVC_API_URL: apiUrl, SVC_SECRETS_DIR: secretsDir };
  return {
    home,
    async run(argv, more = {}) {
      const [out, err] = [collector(), collector()];
      const stdin = more.stdin instanceof Readable ? more.stdin : Readable.from([more.stdin ?? '']);
      const streams = { stdin, stdout: out.stream, stderr: err.stream, terminal: false, interactive: more.interactive === true };
      const code = await run(argv, { env: { ...env, ...more.env }, home, repository, ...streams });
      // JSON is for programs: it may hold source and routes.
      requireReadable(argv, ...(argv.includes('--json') ? [] : [out.text()]), err.text());
      return { code, out: out.text(), err: err.text() };
    },
    spawn(argv, more = {}) {
      const child = spawn(process.execPath, [launcher, ...argv], {
        env: { ...process.env, PATH: `${bin}:${process.env.PATH}`, ...env, HOME: home, SVC_TOKEN: '', ...more },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let [out, err] = ['', ''];
      child.stdout.on('data', (chunk: Buffer) => {
        out += String(chunk);
      });
      child.stderr.on('data', (chunk: Buffer) => {
        err += String(chunk);
      });
      const ended = new Promise<Ran>((resolve) => child.once('close', (code, signal) => resolve({ code: code ?? (signal ? 128 : 0), out, err })));
      const saw = (pattern: RegExp) =>
        new Promise<RegExpExecArray>((resolve, reject) => {
          const look = () => {
            const match = pattern.exec(err);
            if (match) resolve(match);
          };
          child.stderr.on('data', look);
          child.once('close', () => reject(new Error(`ended without ${String(pattern)}: ${err}`)));
          look();
        });
      return { process: child, err: () => err, ended, saw };
    },
    remove: () => rm(home, { recursive: true, force: true }),
  };
}

/**
 * Must be in no output: signs of a programming error, and routes, which cannot be typed at a terminal.
 * Checked for every output in every test.
 */
const SLIPS = /\bundefined\b|\[object \w+\]|\bNaN\b|Invalid Date|\b(?:GET|POST|PUT|PATCH|DELETE) \/|with \/v1\//;

function requireReadable(argv: readonly string[], ...outputs: readonly string[]): void {
  for (const text of outputs) {
    const slip = SLIPS.exec(text);
    if (slip) throw new Error(`svc ${argv.join(' ')} prints "${slip[0]}":\n${text}`);
  }
}

/** What is typed, or piped in. */
export const lines = (...typed: string[]): Readable => Readable.from(typed.map((line) => `${line}\n`));

function collector() {
  const stream = new PassThrough();
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    text += String(chunk);
  });
  return { stream, text: () => text };
}
