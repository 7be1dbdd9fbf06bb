// The cases of one attack on one skill. The same seed and round give the same cases.
import type { SkillCard } from '#contract/wire/card.ts';
import type { Attack } from '#contract/states.ts';
import { fitsSchema } from '../../../kernel/schema-work/fits-schema.ts';
import { boundaryValues, hugeValues, wrongValues } from './values.ts';
import { type AttackCase, type CaseCall, GRANTED_FOLDER, ORDERS, placed } from './case.ts';
import { type SchemaField, schemaFields, looksLikePath, ordinaryArgs, pointerOf, withValue } from './fields.ts';
import { markerHalves, payloadsOf } from './payloads.ts';
import { Random } from '#contract/wire/random.ts';

export interface AttackTarget {
  skill: SkillCard;
  /** The agent takes grants of files. */
  workspace: boolean;
  /** Of the agent: calls at the same time. */
  concurrency: number;
  seed: number;
  /** From 1. */
  iteration: number;
}

/** Of one probe; each costs a call, or a few. */
const MAX_CASES = 8;
/** Arguments of one skill that one round tries. */
const MAX_TARGETED = 3;
const BAD_GRANTS = ['forged', 'expired', 'revoked', 'foreign'] as const;
const CANCEL_AFTER_MS = [5, 40, 150];

/** Whether their arguments fit is not known yet: `fitted` says it. */
export function casesOf(attack: Attack, target: AttackTarget): AttackCase[] {
  const random = Random.ofText([target.seed, target.iteration, attack, target.skill.id].join('\n'));
  return made(attack, target, random).slice(0, MAX_CASES);
}

function made(attack: Attack, target: AttackTarget, random: Random): AttackCase[] {
  const { skill, workspace, concurrency } = target;
  const fields = schemaFields(skill.input_schema);
  const ordinary = ordinaryArgs(skill.input_schema, workspace);
  const grant = workspace ? 'given' : 'none';
  const call = (args: Record<string, unknown>, more: Partial<CaseCall> = {}): CaseCall => ({ args, grant, ...more });
  const one = (args: Record<string, unknown>, at: string, more: Partial<AttackCase> = {}): AttackCase => ({ attack, skill: skill.id, at, calls: [call(args)], fits: false, ...more }); // prettier-ignore
  const each = (field: SchemaField, values: readonly unknown[]): AttackCase[] =>
    values.map((value) => one(withValue(ordinary, field.path, value), pointerOf(field)));
  const paths = fields.texts.filter(looksLikePath);
  switch (attack) {
    case 'baseline':
      return [one(ordinary, '')];
    case 'types':
      return spread(random, Object.values(fields).flat(), (field) => each(field, wrongValues(random))).concat(
        one({ ...ordinary, [`unknown_${random.hex(4)}`]: true }, ''),
      );
    case 'boundaries':
      return spread(random, [...fields.booleans, ...fields.numbers, ...fields.words, ...fields.texts, ...fields.lists], (field) =>
        each(field, boundaryValues(field.schema, random)),
      );
    case 'huge':
      return spread(random, [...fields.numbers, ...fields.texts, ...fields.lists], (field) => each(field, hugeValues(field.schema)));
    case 'shell':
    case 'sql':
    case 'prompts':
    case 'templates':
    case 'unicode':
    case 'paths':
    case 'memory':
      return texts(attack, target, random, attack === 'paths' && paths.length > 0 ? paths : fields.texts, ordinary, one);
    case 'files': {
      if (!workspace) return [];
      const [left, right] = markerHalves(random);
      const args = paths.reduce((all, { path }) => withValue(all, path, `${GRANTED_FOLDER}/${ORDERS}`), ordinary);
      return [{ ...one(args, ''), marks: [{ rule: 'file-instruction-followed', text: left + right }], orders: { left, right } }];
    }
    case 'grants': {
      if (!workspace) return [];
      const leaks: AttackCase = { ...one(ordinary, ''), calls: [call(ordinary), call(ordinary, { grant: 'none' })] };
      return [leaks, ...BAD_GRANTS.map((bad) => ({ ...one(ordinary, bad), calls: [call(ordinary, { grant: bad })] }))];
    }
    case 'parallel': {
      const field = fields.texts.find((text) => !looksLikePath(text)) ?? fields.texts[0];
      if (!field || concurrency < 2) return [];
      const marks = Array.from({ length: Math.min(8, concurrency) }, () => `mk${random.hex(10)}`);
      return [{ ...one(ordinary, pointerOf(field)), parallel: true, calls: marks.map((mark) => call(withValue(ordinary, field.path, mark), { mark })) }];
    }
    case 'cancel':
      return [{ ...one(ordinary, ''), calls: CANCEL_AFTER_MS.map((abortMs) => call(ordinary, { abortMs })) }];
    case 'resume':
      return [one(ordinary, '', { tampers: true })];
    case 'replay':
      return [one(ordinary, '', { replays: true })];
    case 'proposed':
      return [];
  }
}

type One = (args: Record<string, unknown>, at: string, more?: Partial<AttackCase>) => AttackCase;

/** Every argument in turn, until there are enough. */
function texts(
  attack: Parameters<typeof payloadsOf>[0],
  target: AttackTarget,
  random: Random,
  fields: readonly SchemaField[],
  ordinary: Record<string, unknown>,
  one: One,
): AttackCase[] {
  const { texts: all, marks } = payloadsOf(attack, random);
  // The first round tries the commonest in their order, later ones others.
  const ordered = target.iteration === 1 ? all : random.shuffled(all);
  const chosen = fields.slice(0, MAX_TARGETED);
  return ordered.flatMap((text) => chosen.map((field) => one(withValue(ordinary, field.path, text), pointerOf(field), { marks })));
}

function spread(random: Random, fields: readonly SchemaField[], cases: (field: SchemaField) => AttackCase[]): AttackCase[] {
  const lists = random.shuffled(fields).map(cases);
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat();
}

/** As the disposable scope names them. */
const FOLDERS = { given: 'review-loop-0/given', private: 'review-loop-0/private' };

/**
 * A schema that cannot be read, or takes too long, is fitted by nothing: then no error is blamed on the
 * agent. @param author whose agent it is
 */
export async function fitted(author: string, { input_schema }: SkillCard, cases: readonly AttackCase[]): Promise<AttackCase[]> {
  const all: AttackCase[] = [];
  for (const one of cases) all.push({ ...one, fits: await fitsSchema(author, input_schema, placed(one.calls[0]?.args ?? {}, FOLDERS)) });
  return all;
}
