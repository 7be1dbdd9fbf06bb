// The arguments of a proof: what its runner gave, what the author shows as an example, or what is made from
// the input schema and a seed.
import { randomBytes } from 'node:crypto';
import type { ProofCase } from '#contract/states.ts';
import { exampleOf } from '#contract/wire/example.ts';
import { Conflict } from '../../kernel/errors.ts';
import { schemaWork } from '../../kernel/schema-work/ask.ts';
import { argsIssuesApart } from '../../runs/run/check-args.ts';

type Schema = Record<string, unknown>;

export interface CaseIn {
  /** Of agent and skill: `greeter.greet` */
  name: string;
  /** Whose agent it is. */
  author: string;
  schema: Schema;
  args?: Schema | undefined;
  /** Given: the arguments are made with it, whatever examples there are. */
  seed?: string | undefined;
}

export interface Case {
  args: Schema;
  from: ProofCase;
  /** Null unless they were made with it. */
  seed: string | null;
}

/** @throws Conflict proof_no_case */
export async function chooseCase({ name, author, schema, args, seed }: CaseIn): Promise<Case> {
  // Whether they fit is said where the run begins, with the place of each mistake.
  if (args !== undefined) return { args, from: 'given', seed: null };
  const fits = async (some: Schema): Promise<boolean> => (await argsIssuesApart(author, schema, some)).length === 0;
  const example = seed === undefined ? exampleIn(schema) : undefined;
  if (example && (await fits(example))) return { args: example, from: 'example', seed: null };
  const chosen = seed ?? randomBytes(8).toString('hex');
  const made = (await schemaWork(author, 'fittingArgs', { schema, seed: chosen }))?.value;
  if (made) return { args: made, from: 'sampled', seed: chosen };
  const usual = exampleOf(schema);
  if (await fits(usual)) return { args: usual, from: 'example', seed: null };
  throw new Conflict('proof_no_case', `No arguments that fit ${name} could be made from its input schema: give arguments, or let its author give examples`);
}

/** What the author shows: a whole example, or one of every argument that is required. */
function exampleIn(schema: Schema): Schema | undefined {
  const { examples, properties, required } = schema;
  if (Array.isArray(examples) && isRecord(examples[0])) return examples[0];
  const due: unknown[] = Array.isArray(required) ? required : [];
  const members = isRecord(properties) ? properties : {};
  const shown = due.every((name) => typeof name === 'string' && isShown(members[name]));
  const any = Object.values(members).some(isShown);
  return shown && any ? exampleOf(schema) : undefined;
}

function isShown(member: unknown): boolean {
  return isRecord(member) && ((Array.isArray(member['examples']) && member['examples'].length > 0) || 'default' in member || 'const' in member);
}

const isRecord = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);
