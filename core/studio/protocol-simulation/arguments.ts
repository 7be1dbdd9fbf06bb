// Arguments for a skill that a rehearsal calls: those of its author where there are examples, else made from
// its schema by the seed.
import { exampleOf } from '#contract/wire/example.ts';
import type { JsonSchema } from '#contract/wire/arguments.ts';
import { argsIssuesApart } from '../../runs/run/check-args.ts';
import type { Random } from '#contract/wire/random.ts';

type Args = Record<string, unknown>;
const WORDS = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'harbor'];

/**
 * They fit the schema wherever that can be made without knowing what the skill does. @param author whose
 * agent it is
 */
export async function sampleArgs(author: string, schema: JsonSchema, random: Random): Promise<Args> {
  const base = exampleOf(schema);
  const varied = { ...base };
  for (const [member, of] of Object.entries(propertiesOf(schema))) if (member in base) varied[member] = variedValue(of, base[member], random);
  return (await argsIssuesApart(author, schema, varied)).length === 0 ? varied : base;
}

/** Undefined: the schema takes anything. */
export async function invalidArgs(author: string, schema: JsonSchema, random: Random): Promise<Args | undefined> {
  const base = exampleOf(schema);
  const wrong = random.shuffled(Object.keys(propertiesOf(schema))).flatMap((member) => [{ ...base, [member]: [{ not: 'this' }] }, without(base, member)]);
  for (const args of [...wrong, { ...base, no_such_argument_here: [{}] }]) if ((await argsIssuesApart(author, schema, args)).length > 0) return args;
  return undefined;
}

function variedValue(schema: unknown, value: unknown, random: Random): unknown {
  const of = recordOf(schema);
  if (['example', 'examples', 'default', 'const', 'enum', 'format', 'pattern', 'anyOf', 'oneOf'].some((word) => word in of)) return value;
  if (typeof value === 'string') return random.pick(WORDS) ?? value;
  if (typeof value === 'number') return value + random.below(5);
  return value;
}

function without(args: Args, member: string): Args {
  return Object.fromEntries(Object.entries(args).filter(([name]) => name !== member));
}

function propertiesOf(schema: JsonSchema): Args {
  return recordOf(recordOf(schema)['properties']);
}

// Safe: an object that is no list is read as a record, its values unknown.
function recordOf(value: unknown): Args {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Args) : {};
}
