// Which outputs of earlier steps can be a step's input, by their schemas only. Pure.
import { isText, schemaProperties, type Schema } from '../pick/form.ts';

/** A step that has its skill, as far as those behind it need to know. */
export interface StepSource {
  /** From 1. */
  number: number;
  output: Schema;
}

export interface Output {
  reference: string;
  name: string;
  schema: Schema;
}

/** What a step certainly gives: its required outputs, or the whole of an output that is no object. */
export function outputsOf({ number, output }: StepSource): Output[] {
  const whole = `$${number}.result`;
  const { type } = output;
  if (typeof type === 'string' && type !== 'object') return [{ reference: whole, name: '', schema: output }];
  const required = Array.isArray(output['required']) ? output['required'] : [];
  return Object.entries(schemaProperties(output))
    .filter(([name]) => required.includes(name) && /^[^.]+$/.test(name))
    .map(([name, schema]) => ({ reference: `${whole}.${name}`, name, schema }));
}

/** Of the same name, and a type that goes in. */
export function byName(outputs: readonly Output[], name: string, input: Schema): Output[] {
  return outputs.filter((output) => output.name === name && goesInto(output.schema, input));
}

/**
 * Whatever its name. An input that takes some texts or numbers only, or an object of its own form, is filled
 * only by name.
 */
export function byType(outputs: readonly Output[], input: Schema): Output[] {
  const plain = isText(input) ? input['pattern'] === undefined : (isNumber(input) && input['enum'] === undefined) || input['type'] === 'boolean';
  return plain ? outputs.filter(({ schema }) => goesInto(schema, input)) : [];
}

function goesInto(output: Schema, input: Schema): boolean {
  const [from, to] = [output['type'], input['type']];
  if (typeof from !== 'string' || typeof to !== 'string') return false;
  if (from === 'array' && to === 'array') return itemsGoInto(output['items'], input['items']);
  return from === to || (from === 'integer' && to === 'number');
}

function itemsGoInto(output: unknown, input: unknown): boolean {
  if (!isSchema(input)) return true;
  return isSchema(output) && goesInto(output, input);
}

function isNumber({ type }: Schema): boolean {
  return type === 'number' || type === 'integer';
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
