// What an agent needs of its callers, as the JSON Schema of a form.
import type { Output } from '../../api/client.ts';
import type { JsonSchema } from '../../form/schema.ts';

export type SetupField = Output<'consumerSetup', 'get'>['fields'][number];

export function setupSchema(fields: readonly SetupField[]): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
    required: fields.filter(({ required, source }) => required && source === 'missing').map(({ name }) => name),
    additionalProperties: false,
  };
}

function fieldSchema({ name, kind, type, title, description, default: usual, source }: SetupField): JsonSchema {
  const isSecret = kind === 'secret';
  const isSet = isSecret && source !== 'missing';
  const help = [description, isSet ? 'It is set, and not shown; what you type replaces it.' : ''].filter(Boolean).join(' ');
  return {
    title: title ?? name,
    description: help,
    ...(type === 'number' || type === 'boolean' ? { type } : { type: 'string', minLength: 1 }),
    ...(type === 'url' && { format: 'uri' }),
    ...(isSecret && { format: 'password' }),
    ...(usual !== null && { default: usual }),
  };
}

/** What the caller set for themselves; a secret is never known. */
export function setValues(fields: readonly SetupField[]): Record<string, string | number | boolean> {
  return Object.fromEntries(fields.flatMap(({ name, source, value }) => (source === 'user' && value !== null ? [[name, value]] : [])));
}

/** Only what differs: a value that was emptied is taken away. */
export function changes(before: Record<string, unknown>, now: Record<string, unknown>): Record<string, string | number | boolean | null> {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const value = now[name];
      if (value === before[name]) return [];
      return [[name, typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null]];
    }),
  );
}
