// Evaluation rules: what a good run of an agent is.
import { withoutMark } from '#contract/wire/byte-order-mark.ts';
import { readFile } from 'node:fs/promises';
import { Option } from 'clipanion';
import type { EvaluationCheck } from '#contract/quality/evaluations.ts';
import { integer, share } from '../lib/api-command.ts';
import { dollars, micros } from '../lib/dollars.ts';
import { CliError, UsageError } from '../lib/errors.ts';
import { command } from '../lib/command.ts';
import { plain } from '../lib/output.ts';

const DAY_MS = 86_400_000;
const MAX_DOLLARS = 2_000;

function wordsOf(check: EvaluationCheck): string {
  switch (check.kind) {
    case 'schema':
      return 'the result fits a schema';
    case 'matches':
      return `${check.pointer === '' ? 'the result' : check.pointer} ${check.absent ? 'does not match' : 'matches'} ${check.pattern}`;
    case 'latency':
      return `it takes at most ${check.max_ms} ms`;
    case 'cost':
      return `models cost at most ${dollars(check.max_micros)}`;
    case 'thumb':
      return 'its caller gives a thumb up';
    case 'judge':
      return `a model finds: ${check.instructions}`;
  }
}

const checkOptions = () => ({
  schema: Option.String('--schema', { description: 'file with a JSON Schema that the result must fit' }),
  matches: Option.String('--matches', { description: 'regular expression that must be found in the result' }),
  notMatches: Option.String('--not-matches', { description: 'regular expression that must not be found in the result' }),
  at: Option.String('--at', '', { description: 'JSON Pointer to the part of the result that a pattern looks at, e.g. /answer' }),
  maxMs: Option.String('--max-ms', { description: 'milliseconds that a run may take' }),
  maxCost: Option.String('--max-cost', { description: 'dollars that the models of a run may cost' }),
  thumb: Option.Boolean('--thumb', false, { description: 'the rating by its caller (svc thumb)' }),
  judge: Option.String('--judge', { description: 'what a good result is, for a model that judges' }),
  passFrom: Option.String('--pass-from', '0.5', { description: 'score from which a judged run passes, 0 to 1' }),
  perDay: Option.String('--per-day', '100', { description: 'runs that may be judged in a day' }),
});

/** @throws UsageError unless one check is given */
async function checkOf(typed: ReturnType<typeof checkOptions>): Promise<EvaluationCheck> {
  const given: EvaluationCheck[] = [];
  const pattern = { kind: 'matches', pointer: typed.at } as const;
  if (typed.schema !== undefined) given.push({ kind: 'schema', schema: await schemaIn(typed.schema) });
  if (typed.matches !== undefined) given.push({ ...pattern, pattern: typed.matches, absent: false });
  if (typed.notMatches !== undefined) given.push({ ...pattern, pattern: typed.notMatches, absent: true });
  if (typed.maxMs !== undefined) given.push({ kind: 'latency', max_ms: integer('--max-ms', typed.maxMs, { min: 1, max: DAY_MS }) });
  if (typed.maxCost !== undefined) given.push({ kind: 'cost', max_micros: micros('--max-cost', typed.maxCost, MAX_DOLLARS) });
  if (typed.thumb) given.push({ kind: 'thumb' });
  if (typed.judge !== undefined) {
    const per_day = integer('--per-day', typed.perDay, { min: 1, max: 10_000 });
    given.push({ kind: 'judge', instructions: typed.judge, pass_from: share('--pass-from', typed.passFrom), per_day });
  }
  const [check, ...more] = given;
  if (!check || more.length > 0) throw new UsageError('Give one of --schema, --matches, --not-matches, --max-ms, --max-cost, --thumb and --judge.');
  return check;
}

async function schemaIn(file: string): Promise<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(withoutMark(await readFile(file, 'utf8')));
  } catch (error) {
    throw new CliError(`${file} cannot be read as JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new CliError(`${file} has no JSON Schema: it must be an object`);
  return { ...value };
}

export const commands = [
  command('rules list', {
    about: 'list the rules that score the runs of your agent',
    examples: [['The project in this folder', 'svc rules list']],
    ofProject: true,
    route: 'evaluations.rules',
    send: ({ agent }) => ({ params: { name: agent } }),
    json: ({ items }) => items,
    columns: {
      RULE: ({ rule }) => rule,
      'PASSES WHEN': ({ check }) => plain(wordsOf(check)),
      SKILLS: ({ skills }) => (skills.length === 0 ? 'all' : skills.join(', ')),
      SAMPLE: ({ sample }) => `${sample * 100} %`,
      STATE: ({ enabled }) => (enabled ? 'on' : 'off'),
    },
    empty: ({ agent }) => `${agent} has no rules. Make one with: svc rules set ${agent} quick --max-ms 2000`,
  }),
  command('rules set', {
    about: 'create or update an evaluation rule',
    details:
      'The rule scores the runs of your agent from now on. Give one of --schema, --matches, --not-matches, --max-ms, --max-cost, --thumb and --judge. See the scores with svc scores. A judge is a language model of yours (svc models set); it costs what its answers cost.',
    examples: [
      ['Answers within two seconds', 'svc rules set librarian quick --max-ms 2000'],
      ['No e-mail address in the answer', "svc rules set librarian private --not-matches '@\\w+\\.' --at /answer"],
      ['A model judges every tenth run', 'svc rules set librarian helpful --judge "The answer names its source." --sample 0.1'],
    ],
    arguments: { agent: 'AGENT', rule: 'RULE' },
    options: () => ({
      ...checkOptions(),
      skills: Option.Array('--skill', [], { description: 'only for this skill, repeatable' }),
      sample: Option.String('--sample', '1', { description: 'share of the runs that are scored, 0 to 1' }),
      off: Option.Boolean('--off', false, { description: 'keep the rule, and score nothing with it' }),
    }),
    route: 'evaluations.putRule',
    send: async (given) => ({
      params: { name: given.agent, rule: given.rule },
      body: { check: await checkOf(given), skills: given.skills, sample: share('--sample', given.sample), enabled: !given.off },
    }),
    lines: (_, { rule }) => [`${rule} is set.`],
    hint: (_, { agent }) => `Runs that end from now on are scored. See: svc scores ${agent}`,
  }),
  command('rules delete', {
    about: 'delete a rule of your agent, with the scores it gave',
    examples: [['By its name', 'svc rules delete librarian quick']],
    arguments: { agent: 'AGENT', rule: 'RULE' },
    route: 'evaluations.deleteRule',
    send: ({ agent, rule }) => ({ params: { name: agent, rule } }),
    json: (_, { agent, rule }) => ({ name: agent, rule, deleted: true }),
    lines: () => ['Deleted.'],
  }),
];
