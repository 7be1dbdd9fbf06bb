// A form at the terminal: field by field, each answer checked before the next is asked, all of them before
// they are sent.
import { REQUIRED } from '#contract/wire/wording.ts';
import { plain } from '../lib/output.ts';
import { fieldOf, fieldsOf, hintOf, issuesOf, readText, shown, type Field, type JsonSchema } from './field.ts';
import type { Terminal } from './terminal.ts';

/** The person typed Ctrl-D: no answer was given. */
export class NoAnswer extends Error {
  constructor() {
    super('no answer was given');
    this.name = 'NoAnswer';
  }
}

/**
 * The values by name, or the one value where the schema is no object. @throws NoAnswer, the signal's reason
 */
export async function askForm(terminal: Terminal, schema: JsonSchema, signal?: AbortSignal): Promise<unknown> {
  const fields = fieldsOf(schema);
  if (!fields) return await askField(terminal, fieldOf('answer', schema, true, schema), signal);
  for (;;) {
    const values: Record<string, unknown> = {};
    for (const field of fields) {
      const value = await askField(terminal, field, signal);
      if (value !== undefined) values[field.name] = value;
    }
    const issues = issuesOf(schema, values);
    if (issues.length === 0) return values;
    terminal.say(`These do not go together:\n${issues.map((issue) => `  ${plain(issue)}`).join('\n')}\nOnce more, please.`);
  }
}

/** undefined: left out. */
export async function askField(terminal: Terminal, field: Field, signal?: AbortSignal): Promise<unknown> {
  if (field.description !== '') terminal.say(`  ${plain(field.description)}`);
  field.choices?.forEach((choice, i) => terminal.say(`  ${i + 1}) ${plain(shown(choice))}`));
  const left = field.default === undefined ? (field.required ? '' : ', Enter leaves it out') : `, Enter: ${plain(field.secret ? '…' : shown(field.default))}`;
  const prompt = `${plain(field.title)} (${plain(field.choices ? 'one of these' : hintOf(field))}${left}): `;
  for (;;) {
    const text = field.secret ? await terminal.secret(prompt, signal) : await terminal.line(prompt, signal);
    if (text === undefined) throw new NoAnswer();
    if (text === '' && !field.required) return field.default;
    if (text === '') {
      terminal.say(`  ${REQUIRED}`);
      continue;
    }
    const read = readText(field, text);
    if ('value' in read) return read.value;
    terminal.say(`  ${plain(read.problem)}`);
  }
}
