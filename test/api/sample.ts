// A valid value for a schema, or junk that is not: so that a new group's routes can be called without a line about them.
import { z } from 'zod';

const TEXTS = ['a', 'agent-one', 'x'.repeat(40), '/', '2026-11-20T19:00:00.000Z', 'ada@svc.local', 'https://example.test/x', '1.0.0', '* * * * *', 'UTC'];

/** Undefined when none was found: give the schema an example (`.meta({ examples: [...] })`). */
export function sample(schema: z.core.$ZodType): unknown {
  return candidates(schema).find((value) => z.core.safeParse(schema, value).success);
}

function candidates(schema: z.core.$ZodType): unknown[] {
  const { examples = [], example } = z.globalRegistry.get(schema) ?? {};
  return [...(Array.isArray(examples) ? examples : []), ...(example === undefined ? [] : [example]), ...made(schema._zod.def)];
}

function made(def: z.core.$ZodTypeDef): unknown[] {
  const typed = known(def);
  switch (typed.type) {
    case 'object':
      return [
        Object.fromEntries(
          Object.entries(typed.shape)
            .filter(([, member]) => !z.core.safeParse(member, undefined).success)
            .map(([name, member]) => [name, sample(member)]),
        ),
      ];
    case 'array':
      return [[], [sample(typed.element)]];
    case 'union':
      return typed.options.map(sample);
    case 'enum':
      return Object.values(typed.entries);
    case 'literal':
      return [...typed.values];
    case 'optional':
    case 'nullable':
    case 'default':
    case 'readonly':
      return candidates(typed.innerType);
    case 'pipe':
      return candidates(typed.in);
    case 'record':
      return [{}];
    case 'string':
      return TEXTS;
    case 'number':
      return [1, 0, 10, 100, 0.5];
    case 'boolean':
      return [true];
    default:
      return [null, {}, 'a'];
  }
}

// Safe: zod's own definitions are discriminated by `type`; $ZodTypes is the union of them.
function known(def: z.core.$ZodTypeDef): z.core.$ZodTypes['_zod']['def'] {
  return def as z.core.$ZodTypes['_zod']['def'];
}

const JUNK: unknown[] = ['text', [], 7, true, null, { '\u0000': 1 }];

/** Values the schema refuses. */
export function junk(schema: z.core.$ZodType): unknown[] {
  return JUNK.filter((value) => !z.core.safeParse(schema, value).success);
}

const JUNK_TEXTS = ['!!', ' ', 'x'.repeat(5_000), '-1', '\u{1F600}'];

/** Text that is refused where this schema is a path or query parameter. */
export function junkText(schema: z.core.$ZodType): string[] {
  return JUNK_TEXTS.filter((text) => !z.core.safeParse(schema, text).success && !z.core.safeParse(schema, [text]).success);
}
