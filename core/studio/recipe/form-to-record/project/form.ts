// The fields of the form, as a model of arguments: what a person fills in is checked against it.
import { z } from '@svc/sdk';
import type { WebhookTarget } from './deliver.ts';

export interface Field {
  name: string;
  label: string;
  type: 'text' | 'email' | 'number' | 'integer' | 'boolean' | 'date' | 'choice';
  required: boolean;
  /** Of a choice. */
  choices: readonly string[];
}

export interface Settings {
  title: string;
  fields: readonly Field[];
  /** Field that no two records may share; null: none. */
  unique: string | null;
  /** Forms a day from callers who are not signed in, together; 0: none. */
  anonymousPerDay: number;
  webhook: WebhookTarget | null;
}

export type Values = { [name: string]: string | number | boolean };
export type FormModel = z.ZodObject<{ [name: string]: z.ZodType<string | number | boolean | undefined> }>;

const MAX_TEXT = 4_000;

/** An empty field counts as not filled in. */
export function modelOf(fields: readonly Field[]): FormModel {
  return z.object(
    Object.fromEntries(
      fields.map((field) => {
        const model = fieldModel(field).describe(field.label);
        return [field.name, field.required ? model : model.optional().describe(field.label)];
      }),
    ),
  );
}

function fieldModel({ type, choices, required }: Field): z.ZodType<string | number | boolean> {
  if (type === 'number') return z.number().min(-1e12).max(1e12);
  if (type === 'integer') return z.int();
  if (type === 'boolean') return z.boolean();
  if (type === 'email') return z.email().max(254);
  if (type === 'date') return z.iso.date();
  if (type === 'choice') return z.enum(choices);
  return required ? z.string().trim().min(1).max(MAX_TEXT) : z.string().trim().max(MAX_TEXT);
}

/** Without what was not filled in. */
export function filledIn(values: { [name: string]: unknown }): Values {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]): [string, string | number | boolean][] =>
      (typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'boolean' ? [[name, value]] : [],
    ),
  );
}

/** One line a field, in the order of the form. */
export function textOf({ title, fields }: Pick<Settings, 'title' | 'fields'>, values: Values): string {
  const lines = fields.flatMap(({ name, label }) => (values[name] === undefined ? [] : [`${label}: ${values[name]}`]));
  return [title, ...lines].join('\n');
}
