import { Command, Option } from 'clipanion';
import { ApiCommand } from '../lib/api-command.ts';
import { CliError, UsageError } from '../lib/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';
import type { Decision } from '../runs/send.ts';
import type { RunsWait } from '../runs/waiting.ts';

export class AnswerCommand extends ApiCommand {
  static override paths = [['answer']];
  static override usage = Command.Usage({
    description: 'answer what your runs ask, approve or deny what they want',
    details:
      'Without an id everything that waits for you is listed and asked in turn. A question takes a text; a form takes JSON, or nothing, and then you are asked field by field. A second answer, or one after the deadline, is refused: exit 1. Without a terminal nothing can be asked: what waits is listed, exit 5.',
    examples: [
      ['Whatever waits', 'svc answer'],
      ['A question', 'svc answer qst_0193… "the blue one"'],
      ['A form', 'svc answer inr_0193… \'{"size":"large"}\''],
      ['A request for more access', 'svc answer scr_0193… --deny --reason "not the contracts"'],
      ['A vote as somebody’s delegate', 'svc answer hof_0193… --approve --for ben@example.com'],
    ],
  });

  id = Option.String({ required: false, name: 'WAIT_ID' });
  value = Option.String({ required: false, name: 'VALUE' });
  approve = Option.Boolean('--approve', false, { description: 'let it' });
  deny = Option.Boolean('--deny', false, { description: 'do not let it' });
  reason = Option.String('--reason', { description: 'with --deny: the reason that the skill receives' });
  for = Option.String('--for', { description: 'with --approve or --deny: the member whose delegate you are' });
  json = Option.Boolean('--json', false, { description: 'without an id: print what waits as JSON, and ask nothing' });

  async execute(): Promise<number> {
    const given = await this.#given();
    const client = this.client();
    const { openWaits } = await import('../runs/waiting.ts');
    const { sendDecision, sentNote, kindOf } = await import('../runs/send.ts');
    if (this.id === undefined) return await this.#all(await openWaits(this.client().inbox));
    const kind = kindOf(this.id);
    if (given) {
      const decision = this.#typed(given, kind);
      const sent = await sendDecision(client, this.id, decision);
      const isText = kind === 'input_request' && 'answer' in decision && typeof decision.answer === 'string';
      if (sent.is === 'refused' && isText)
        throw new CliError(`${sent.says}\nIt is a form: give its fields as JSON, or no VALUE, then you are asked field by field.`);
      if (sent.is !== 'taken') throw new CliError(sent.says);
      this.output().note(sentNote(sent));
      return EXIT.ok;
    }
    const one = (await openWaits(this.client().inbox)).filter(({ wait_id: id }) => id === this.id);
    if (one.length === 0) throw new CliError(`${this.id} is not assigned to you, or was resolved. List what waits for you: svc answer`);
    return await this.#all(one);
  }

  async #given(): Promise<Decision | undefined> {
    const ways = [this.value !== undefined, this.approve, this.deny].filter(Boolean).length;
    if (ways > 1) throw new UsageError('Give one of VALUE, --approve and --deny.');
    if (this.reason !== undefined && !this.deny) throw new UsageError('--reason goes with --deny.');
    const whose = this.for === undefined ? {} : { for: this.for };
    if (this.for !== undefined && !this.approve && !this.deny) throw new UsageError('--for goes with --approve or --deny.');
    if (this.approve) return { decision: 'approve', ...whose };
    if (this.deny) return { decision: 'deny', reason: this.reason ?? '', ...whose };
    if (this.value === undefined) return undefined;
    const { inputReader } = await import('../call/arguments.ts');
    return { answer: await inputReader(this.context.stdin)(this.value) };
  }

  /** A form takes JSON; what is none is text. */
  #typed(decision: Decision, kind: string): Decision {
    if (kind !== 'input_request' || !('answer' in decision) || typeof decision.answer !== 'string') return decision;
    try {
      const value: unknown = JSON.parse(decision.answer);
      if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string' || Array.isArray(value)) return { answer: value };
      return typeof value === 'object' && value !== null ? { answer: { ...value } } : decision;
    } catch {
      return decision;
    }
  }

  async #all(waits: readonly RunsWait[]): Promise<number> {
    const output = this.output(this.json);
    const { askAll, showWaits } = await import('../runs/waiting.ts');
    if (this.json || !this.context.interactive || waits.length === 0) {
      showWaits(waits, output);
      return waits.length > 0 && !this.json ? EXIT.waiting : EXIT.ok;
    }
    return await askAll(this.client(), waits, output, this.context);
  }
}
