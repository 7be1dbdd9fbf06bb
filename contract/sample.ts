// A valid value for a schema: for generic tests, and for trying a skill without arguments of one's own.
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
