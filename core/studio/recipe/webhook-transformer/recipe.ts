// webhook_transformer: a webhook's payload becomes a record, and goes to another webhook.
import { z } from 'zod';
import { parsedInputs } from '../inputs.ts';
import { projectOf, secretSteps } from '../project.ts';
import type { Recipe } from '../recipe.ts';
import { webhookHost, webhookOf } from '../webhook.ts';
import type { Field } from './project/transform.ts';

const Place = z
  .string()
  .max(200)
  .regex(/^[^.\s]+(?:\.[^.\s]+)*$/, 'write names with dots between, such as issue.title')
  .refine((place) => !place.split('.').includes('__proto__'), 'no payload has a member __proto__');
const FieldInput = z.strictObject({
  to: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'use a letter, then letters, digits and _')
    .describe('Name in the record.'),
  from: Place.describe('Place in the payload: names and numbers of list items with dots between.'),
  as: z.enum(['text', 'number', 'boolean', 'json']).default('text').describe('What its value is made.'),
  required: z.boolean().default(true).describe('Without it the payload is refused.'),
});

const inputs = z.object({
  fields: z
    .array(FieldInput)
    .min(1)
    .max(50)
    .refine((fields) => new Set(fields.map(({ to }) => to)).size === fields.length, 'two fields have the same name')
    .describe('What is read from the payload: [{"to": "title", "from": "issue.title"}].'),
  webhook_host: webhookHost,
});

export const webhookTransformer: Recipe = {
  recipe: 'webhook_transformer',
  title: 'Webhook transformer',
  description: 'Takes what one service sends, makes a record of it field by field, and sends that to another.',
  words: ['webhook', 'payload', 'transform', 'forward', 'event', 'incoming', 'convert', 'reshape', 'relay', 'post', 'json', 'hook'],
  inputs,
  async write(_ctx, brief) {
    const { fields, webhook_host } = parsedInputs(inputs, brief.inputs);
    const webhook = webhookOf(brief.integrations, webhook_host);
    const files = await projectOf({
      brief,
      folder: import.meta.dirname,
      className: 'WebhookTransformer',
      modules: ['transform.ts', 'deliver.ts', 'bounded-fetch.ts'],
      settingsFrom: 'transform.ts',
      settings: { fields, webhook },
      hosts: webhook?.hosts ?? [],
      yaml: 'endpoints:\n  webhook:\n    post: { skill: receive }\n',
      about: [
        '`receive` makes a record of a payload and sends it on; `transform` only shows the record. The sender posts `{"payload": …}` to the endpoint `webhook` of the agent, with a token of it.',
      ],
    });
    return {
      files,
      trials: [{ skill: 'transform', args: { payload: sampleFor(fields) }, expect: { type: 'object', required: ['record'] } }],
      next: [
        ...secretSteps(brief, 1),
        `Let the sender post {"payload": …} to /v1/agents/${brief.name}/api/endpoints/webhook, with a token of "svc tokens create".`,
      ],
    };
  },
};

const SAMPLES = { text: 'sample', number: 1, boolean: true, json: {} } as const;

/** A payload that has every field. Longer places win over those above them. */
function sampleFor(fields: readonly Field[]): Record<string, unknown> {
  const sample = new Map<string, unknown>();
  for (const { from, as } of fields.toSorted((a, b) => a.from.length - b.from.length)) put(sample, from.split('.'), SAMPLES[as]);
  return plain(sample);
}

function put(at: Map<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) return void at.set(name, value);
  const below = at.get(name);
  const inner = below instanceof Map ? below : new Map<string, unknown>();
  at.set(name, inner);
  put(inner, rest, value);
}

function plain(map: ReadonlyMap<string, unknown>): Record<string, unknown> {
  return Object.fromEntries([...map].map(([name, value]) => [name, value instanceof Map ? plain(value) : value]));
}
