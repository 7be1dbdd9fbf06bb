// Values an agent needs of the person: read from the command line, or asked for field by field.
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { ConsumerSetupOut, SetupFieldOut } from '#contract/agents/consumer-setup.ts';
import { fieldOf, readText, type Field } from '../ask/field.ts';
import { askField } from '../ask/form.ts';
import { Terminal } from '../ask/terminal.ts';
import { inputReader } from '../call/arguments.ts';
import type { CliContext } from '../lib/context.ts';
import { UsageError } from '../lib/errors.ts';

export type Setup = z.output<typeof ConsumerSetupOut>;
type SetupField = z.output<typeof SetupFieldOut>;
export type Values = Record<string, string | number | boolean | null>;

/** @throws UsageError */
export async function givenValues({ fields }: Setup, pairs: readonly string[], stdin: Readable): Promise<Values> {
  const read = inputReader(stdin);
  const values: Values = {};
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1) throw new UsageError(`"${pair}" is not FIELD=VALUE.`);
    const [name, text] = [pair.slice(0, at), pair.slice(at + 1)];
    const field = fields.find((one) => one.name === name);
    if (field?.kind === 'secret' && !text.startsWith('@')) {
      throw new UsageError(`${name} is a secret and does not belong on the command line: ${name}=@file, ${name}=@-, or leave it out and type it when asked.`);
    }
    const content = text.startsWith('@') ? (await read(text)).replace(/\r?\n$/, '') : text;
    values[name] = field ? valueOf(field, content) : content;
  }
  return values;
}

/** Of what is missing, or of everything; what is left empty stays as it is. @throws NoAnswer */
export async function askMissing(context: CliContext, { fields, missing }: Setup, all: boolean): Promise<Values> {
  const terminal = new Terminal(context);
  const values: Values = {};
  try {
    for (const field of fields) {
      if (!all && !missing.includes(field.name)) continue;
      // What is set already may stay.
      const needed = field.required && field.source === 'missing';
      const value = await askField(terminal, { ...typeOf(field), required: needed, default: undefined });
      if (isScalar(value)) values[field.name] = value;
    }
  } finally {
    terminal.close();
  }
  return values;
}

function valueOf(field: SetupField, text: string): string | number | boolean {
  const read = readText(typeOf(field), text);
  if ('problem' in read || !isScalar(read.value)) throw new UsageError(`${field.name}: ${'problem' in read ? read.problem : 'type one value'}`);
  return read.value;
}

function typeOf({ name, kind, type, title, description, required }: SetupField): Field {
  const schema = type === 'url' ? { type: 'string', format: 'uri' } : { type };
  return fieldOf(name, { ...schema, title: title ?? name, description, ...(kind === 'secret' ? { writeOnly: true } : {}) }, required);
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
