import { readFile } from 'node:fs/promises';
import { Command, Option } from 'clipanion';
import type { EvaluationCheck } from '#contract/quality/evaluations.ts';
import { ApiCommand, integer, share } from '../../command-base.ts';
import { CliError, UsageError } from '../../errors.ts';
import { micros } from '../../dollars.ts';

const DAY_MS = 86_400_000;
const MAX_DOLLARS = 2_000;

export class RulesSetCommand extends ApiCommand {
  static override paths = [['rules', 'set']];
  static override usage = Command.Usage({
    description: 'create or update an evaluation rule',
    details:
      'The rule scores the runs of your agent from now on. Give one of --schema, --matches, --not-matches, --max-ms, --max-cost, --thumb and --judge. See the scores with svc scores. A judge is a language model of yours (svc models set); it costs what its answers cost.',
    examples: [
      ['Answers within two seconds', 'svc rules set librarian quick --max-ms 2000'],
      ['No e-mail address in the answer', "svc rules set librarian private --not-matches '@\\w+\\.' --at /answer"],
      ['A model judges every tenth run', 'svc rules set librarian helpful --judge "The answer names its source." --sample 0.1'],
    ],
  });

  agent = Option.String({ name: 'AGENT' });
  rule = Option.String({ name: 'RULE' });
  schema = Option.String('--schema', { description: 'file with a JSON Schema that the result must fit' });
  matches = Option.String('--matches', { description: 'regular expression that must be found in the result' });
  notMatches = Option.String('--not-matches', { description: 'regular expression that must not be found in the result' });
  at = Option.String('--at', '', { description: 'JSON Pointer to the part of the result that a pattern looks at, e.g. /answer' });
  maxMs = Option.String('--max-ms', { description: 'milliseconds that a run may take' });
  maxCost = Option.String('--max-cost', { description: 'dollars that the models of a run may cost' });
  thumb = Option.Boolean('--thumb', false, { description: 'the rating by its caller (svc thumb)' });
  judge = Option.String('--judge', { description: 'what a good result is, for a model that judges' });
  passFrom = Option.String('--pass-from', '0.5', { description: 'score from which a judged run passes, 0 to 1' });
  perDay = Option.String('--per-day', '100', { description: 'runs that may be judged in a day' });
  skills = Option.Array('--skill', [], { description: 'only for this skill, repeatable' });
  sample = Option.String('--sample', '1', { description: 'share of the runs that are scored, 0 to 1' });
  off = Option.Boolean('--off', false, { description: 'keep the rule, and score nothing with it' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const body = { check: await this.#check(), skills: this.skills, sample: share('--sample', this.sample), enabled: !this.off };
    const made = await this.evaluations().putRule({ params: { name: this.agent, rule: this.rule }, body });
    const output = this.output(this.json);
    output.result(made, [`${this.rule} is set.`]);
    output.hint(`Runs that end from now on are scored. See: svc scores ${this.agent}`);
    return 0;
  }

  async #check(): Promise<EvaluationCheck> {
    const given: EvaluationCheck[] = [];
    const pattern = { kind: 'matches', pointer: this.at } as const;
    if (this.schema !== undefined) given.push({ kind: 'schema', schema: await schemaIn(this.schema) });
    if (this.matches !== undefined) given.push({ ...pattern, pattern: this.matches, absent: false });
    if (this.notMatches !== undefined) given.push({ ...pattern, pattern: this.notMatches, absent: true });
    if (this.maxMs !== undefined) given.push({ kind: 'latency', max_ms: integer('--max-ms', this.maxMs, { min: 1, max: DAY_MS }) });
    if (this.maxCost !== undefined) given.push({ kind: 'cost', max_micros: micros('--max-cost', this.maxCost, MAX_DOLLARS) });
    if (this.thumb) given.push({ kind: 'thumb' });
    if (this.judge !== undefined) {
      const per_day = integer('--per-day', this.perDay, { min: 1, max: 10_000 });
      given.push({ kind: 'judge', instructions: this.judge, pass_from: share('--pass-from', this.passFrom), per_day });
    }
    const [check, ...more] = given;
    if (!check || more.length > 0) throw new UsageError('Give one of --schema, --matches, --not-matches, --max-ms, --max-cost, --thumb and --judge.');
    return check;
  }
}

async function schemaIn(file: string): Promise<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new CliError(`${file} cannot be read as JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new CliError(`${file} has no JSON Schema: it must be an object`);
  return { ...value };
}
