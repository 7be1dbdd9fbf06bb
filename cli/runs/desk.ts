// Asks the user the questions of a watched run, one after the other; withdraws a question that is decided
// elsewhere.
import { exampleOf } from '#contract/wire/example.ts';
import { NoAnswer } from '../ask/form.ts';
import type { Terminal } from '../ask/terminal.ts';
import { plain, type Output } from '../lib/output.ts';
import { approvalLines } from './approval.ts';
import { promptOf, decide } from './decide.ts';
import type { Wait } from './model.ts';
import type { Decision, Sent } from './send.ts';

export interface DeskOptions {
  output: Output;
  terminal: Terminal;
  send: (wait: Wait, decision: Decision) => Promise<Sent>;
  /** Whether questions are put here, to the next lines of the input; default: input is a terminal. */
  asks?: boolean;
  /** What to do about one that got no answer; default: say how it is answered from somewhere else. */
  unanswered?: (wait: Wait) => void;
}

export class Desk {
  readonly #with: DeskOptions;
  readonly #open = new Map<string, AbortController>();
  #last: Promise<void> = Promise.resolve();
  /** Asking went wrong in a way that ends the command. */
  readonly failed: Promise<never>;
  readonly #fail: (error: unknown) => void;

  constructor(options: DeskOptions) {
    this.#with = options;
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    this.failed = promise;
    this.#fail = reject;
  }

  /** Something waits for a decision. Said twice it is asked once. */
  opened(wait: Wait): void {
    if (this.#open.has(wait.wait_id)) return;
    const withdrawn = new AbortController();
    this.#open.set(wait.wait_id, withdrawn);
    if (wait.recipient?.you === false || !(this.#with.asks ?? this.#with.terminal.interactive)) return explainWait(this.#with.output, wait);
    this.#last = this.#last.then(() => this.#ask(wait, withdrawn.signal)).catch(this.#fail);
  }

  /** It is decided or over. */
  closed(waitId: string, how: string): void {
    this.#open.get(waitId)?.abort(new Withdrawn(how));
  }

  closeAll(how: string): void {
    for (const id of this.#open.keys()) this.closed(id, how);
  }

  close(): void {
    this.closeAll('over');
  }

  async #ask(wait: Wait, signal: AbortSignal): Promise<void> {
    const { output, terminal, send, unanswered = (left) => explainWait(output, left) } = this.#with;
    for (;;) {
      if (signal.aborted) return;
      try {
        const sent = await send(wait, await decide(terminal, wait, signal));
        if (sent.is === 'taken') return;
        output.note(plain(sent.says));
        if (sent.is === 'too late') return;
      } catch (error) {
        if (error instanceof Withdrawn) return output.note(output.dim(`  (${error.message})`));
        if (error instanceof NoAnswer) return unanswered(wait);
        throw error;
      }
    }
  }
}

class Withdrawn extends Error {}

/** How to decide it from somewhere else. */
export function explainWait(output: Output, wait: Wait): void {
  const { wait_id: id, kind, expires_at: until, schema, approval, recipient } = wait;
  const prompt = promptOf(wait);
  if (recipient?.you === false) {
    output.note(`? ${plain(prompt)}${recipient.people.length > 0 ? ` (${plain(recipient.people.join(', '))})` : ''}`);
    return output.hint(`  waits for them until ${until}`);
  }
  const value = schema?.['type'] === 'object' ? `'${JSON.stringify(exampleOf(schema)).replaceAll("'", String.raw`\u0027`)}'` : 'VALUE';
  const how = kind === 'scope_request' || kind === 'handoff_approval' ? `svc answer ${id} --approve   (or --deny)` : `svc answer ${id} ${value}`;
  output.note(`? ${plain(prompt)}`);
  if (approval) for (const line of approvalLines(approval)) output.note(`  ${line}`);
  output.hint(`  waits until ${until} for: ${plain(how)}`);
}
