// The person at the terminal: one reader for a whole command, so that lines typed ahead answer the questions
// that come next. Not @inquirer/prompts or @clack/prompts: each prompt is a reader of its own, which loses
// lines typed ahead and hangs on piped ones, and nothing can be said above it.
import { clearScreenDown, createInterface, cursorTo, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import type { CliContext } from '../lib/context.ts';
import { forTerminal } from '../lib/output.ts';

export class Terminal {
  /** Input is a terminal. */
  readonly interactive: boolean;
  readonly #context: CliContext;
  readonly #lines: string[] = [];
  #reader: Interface | undefined;
  #waiting: ((line: string | undefined) => void) | undefined;
  #ended = false;
  #muted = false;

  constructor(context: CliContext, interactive = context.interactive) {
    this.#context = context;
    this.interactive = interactive;
  }

  say(text: string): void {
    this.#context.stderr.write(`${forTerminal(text)}\n`);
  }

  /**
   * Something that happened meanwhile: above what is being typed, which stays as it is. `text` ends with its
   * line.
   */
  interject(text: string): void {
    const reader = this.#reader;
    if (!reader?.terminal || !this.#waiting || this.#muted) return void this.#context.stderr.write(text);
    cursorTo(this.#context.stderr, 0);
    clearScreenDown(this.#context.stderr);
    this.#context.stderr.write(text.endsWith('\n') ? text : `${text}\n`);
    reader.prompt(true);
  }

  /** What is typed before Enter; undefined: nothing more will be (Ctrl-D). @throws the signal's reason */
  async line(prompt: string, signal?: AbortSignal): Promise<string | undefined> {
    signal?.throwIfAborted();
    const reader = this.#open();
    reader.setPrompt(forTerminal(prompt));
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const abort = (): void => {
      this.#waiting = undefined;
      this.#context.stderr.write('\n');
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await Promise.race([this.#next(reader), aborted]);
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** The same, and what is typed is not shown. */
  async secret(prompt: string, signal?: AbortSignal): Promise<string | undefined> {
    const reader = this.#open();
    this.#context.stderr.write(forTerminal(prompt));
    this.#muted = true;
    try {
      return await this.line('', signal);
    } finally {
      this.#muted = false;
      // Or the arrow keys would bring it back at the next question.
      if ('history' in reader && Array.isArray(reader.history)) reader.history.shift();
      if (reader.terminal) this.#context.stderr.write('\n');
    }
  }

  close(): void {
    this.#reader?.close();
  }

  #next(reader: Interface): Promise<string | undefined> {
    const ready = this.#lines.shift();
    if (this.#ended) this.#context.stderr.write(reader.getPrompt());
    else reader.prompt();
    if (ready !== undefined || this.#ended) return Promise.resolve(ready);
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  #open(): Interface {
    if (this.#reader) return this.#reader;
    const shown = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (!this.#muted) this.#context.stderr.write(chunk);
        done();
      },
    });
    const reader = createInterface({ input: this.#context.stdin, output: shown, terminal: this.interactive && 'isTTY' in this.#context.stdin });
    reader.on('line', (line) => this.#take(line));
    reader.on('close', () => {
      this.#ended = true;
      this.#take(undefined);
    });
    // While it reads keys, Ctrl-C is one of them.
    reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    this.#reader = reader;
    return reader;
  }

  #take(line: string | undefined): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) waiting(line);
    else if (line !== undefined) this.#lines.push(line);
  }
}
