// form_to_record: stores a filled-in form as a record, and sends it to a webhook.
import { z } from 'zod';
import { parsedInputs, refuseInput } from '../inputs.ts';
import { projectOf, secretSteps } from '../project.ts';
import type { Recipe } from '../recipe.ts';
import { webhookHost, webhookOf } from '../webhook.ts';
import type { Field } from './project/form.ts';

const FieldInput = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z][a-z0-9_]{0,39}$/, 'use a lower-case letter, then lower-case letters, digits and _')
      .describe('Name of the argument.'),
    label: z.string().trim().min(1).max(120).optional().describe('As people read it; absent: the name.'),
    type: z.enum(['text', 'email', 'number', 'integer', 'boolean', 'date', 'choice']).default('text').describe('What is filled in.'),
    required: z.boolean().default(true).describe('Without it the form is refused.'),
    choices: z.array(z.string().trim().min(1).max(80)).max(50).default([]).describe('Of a choice.'),
  })
  .refine(({ type, choices }) => type !== 'choice' || choices.length > 1, { path: ['choices'], message: 'name two choices or more' });

const inputs = z.object({
  title: z.string().trim().min(1).max(120).default('New record').describe('Title of the form, and first line of the message to the webhook.'),
  fields: z
    .array(FieldInput)
    .min(1)
    .max(40)
    .refine((fields) => new Set(fields.map(({ name }) => name)).size === fields.length, 'two fields have the same name')
    .describe('What is asked for: [{"name": "email", "type": "email"}].'),
  unique: z.string().optional().describe('Name of the field that no two records may share; who submits a value that is there learns that it is.'),
  anonymous_per_day: z
    .int()
    .min(0)
    .max(200)
    .default(50)
    .describe('Forms a day from callers who are not signed in, all of them together; 0: who submits has to sign in.'),
  webhook_host: webhookHost,
});

export const formToRecord: Recipe = {
  recipe: 'form_to_record',
  title: 'Form to record',
  description: 'Takes a form, checks every field, keeps it as a record for the owner, and tells a webhook.',
  words: ['form', 'submit', 'record', 'register', 'registration', 'signup', 'survey', 'fields', 'fill', 'intake', 'apply', 'application', 'guests', 'collect'],
  inputs,
  async write(_ctx, brief) {
    const { title, fields, unique, anonymous_per_day: anonymousPerDay, webhook_host } = parsedInputs(inputs, brief.inputs);
    const named = fields.map((field) => ({ ...field, label: field.label ?? field.name }));
    if (unique !== undefined && !named.some(({ name, required }) => name === unique && required))
      refuseInput(['unique'], `must be a required field of the form: ${named.flatMap(({ name, required }) => (required ? [name] : [])).join(', ')}`);
    const webhook = webhookOf(brief.integrations, webhook_host);
    const files = await projectOf({
      brief,
      folder: import.meta.dirname,
      className: 'FormToRecord',
      modules: ['form.ts', 'records.ts', 'deliver.ts', 'bounded-fetch.ts'],
      settingsFrom: 'form.ts',
      settings: { title, fields: named, unique: unique ?? null, anonymousPerDay, webhook },
      hosts: webhook?.hosts ?? [],
      about: [
        '`submit` keeps a form as a record, `check` only checks it. `find_records` finds the records of who calls it, `list_records` those of all: for you, and for whom you give the scope `records` (`svc callers grant`). Records are in the shared memory of the agent, at most 10,000, and 100 of one caller; callers who are not signed in submit, and find nothing.',
        anonymousText(anonymousPerDay),
      ],
    });
    return {
      files,
      trials: [
        {
          skill: 'check',
          args: Object.fromEntries(named.map((field) => [field.name, sampleOf(field)])),
          expect: { type: 'object', required: ['values', 'taken'] },
        },
        { skill: 'find_records', args: { limit: 1 }, expect: { type: 'object', properties: { records: { type: 'array' } }, required: ['records'] } },
      ],
      next: [...secretSteps(brief, 1), `See what was submitted: svc call ${brief.name} list_records`],
    };
  },
};

/** For the owner. */
function anonymousText(perDay: number): string {
  if (perDay === 0) return 'Callers who are not signed in are refused.';
  return `Of callers who are not signed in, together, ${perDay} forms are kept in a day (UTC) and 1,000 in all, of 20 KiB each; who comes after that is told to sign in. Change \`anonymousPerDay\` in settings.ts; delete records on the tab Memory of the agent.`;
}

const SAMPLES = { text: 'sample', email: 'ada@example.com', number: 1, integer: 1, boolean: true, date: '2026-01-31' } as const;

function sampleOf({ type, choices }: Field): unknown {
  return type === 'choice' ? choices[0] : SAMPLES[type];
}
