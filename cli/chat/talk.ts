// A conversation at the terminal, with any partner: lines in, turns out, a few commands of its own.
import { askForm, NoAnswer } from '../ask/form.ts';
import type { Terminal } from '../ask/terminal.ts';
import { fieldsOf } from '../ask/field.ts';
import type { AgentCard } from '#contract/wire/card.ts';
import { explain } from '../lib/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { plain, type Output } from '../lib/output.ts';
import { parseLine } from './say.ts';

export interface Talk {
  prompt: string;
  /** Of the one agent that is spoken with, as it is now. */
  card: () => AgentCard | undefined;
  terminal: Terminal;
  output: Output;
  call: (skill: string, args: Record<string, unknown>) => Promise<void>;
  say: (text: string) => Promise<void>;
  /** Commands beside /help and /quit: what they do, and their line of help. */
  commands?: Record<string, { help: string; do: () => Promise<void> }>;
  /** Something was left that waits for a person. */
  left: () => boolean;
}

/** Until /quit or the end of the input. */
export async function talk(conversation: Talk): Promise<number> {
  const { terminal, output, prompt } = conversation;
  if (terminal.interactive) help(conversation);
  let failed = false;
  for (;;) {
    const text = (await terminal.line(terminal.interactive ? prompt : ''))?.trim();
    if (text === undefined || text === '/quit' || text === '/exit') break;
    try {
      if (text !== '') await take(conversation, text);
    } catch (error) {
      if (error instanceof NoAnswer) continue;
      failed = true;
      output.note(output.bad(plainLines(explain(error).message)));
    }
  }
  if (terminal.interactive) output.note('');
  if (!terminal.interactive && failed) return EXIT.failure;
  return !terminal.interactive && conversation.left() ? EXIT.waiting : EXIT.ok;
}

async function take(conversation: Talk, text: string): Promise<void> {
  const { commands = {}, output } = conversation;
  if (text === '/help') return help(conversation);
  const command = text.startsWith('/') ? commands[text] : undefined;
  if (command) return await command.do();
  if (text.startsWith('/')) return output.note(`There is no ${plain(text)}. /help lists what there is.`);
  const card = conversation.card();
  const parsed = card ? parseLine(card, text) : ({ is: 'words' } as const);
  if (parsed.is === 'mistake') return output.note(plainLines(parsed.says));
  if (parsed.is === 'words') return await conversation.say(text);
  const args = parsed.fill ? await fillIn(conversation, parsed.skill.input_schema, parsed.args) : parsed.args;
  if (args) await conversation.call(parsed.skill.id, args);
}

/** Asks for what is missing. */
export async function fillIn({ terminal, output }: Pick<Talk, 'terminal' | 'output'>, schema: Record<string, unknown>, args: Record<string, unknown>) {
  const rest = (fieldsOf(schema) ?? []).filter(({ name }) => !Object.hasOwn(args, name));
  if (!terminal.interactive)
    return output.note(
      `Missing: ${rest
        .filter(({ required }) => required)
        .map(({ name }) => plain(name))
        .join(', ')}`,
    );
  const properties = Object.fromEntries(
    rest.map((field) => [field.name, { ...field.schema, title: field.title, description: field.description, default: field.default }]),
  );
  const answers = await askForm(terminal, { type: 'object', properties, required: rest.filter(({ required }) => required).map(({ name }) => name) });
  return { ...args, ...(typeof answers === 'object' ? answers : {}) };
}

function help({ card, output, commands = {} }: Talk): void {
  const skills = card()?.skills ?? [];
  for (const { id, description, input_schema: schema } of skills) {
    const fields = (fieldsOf(schema) ?? []).map(({ name, required }) => (required ? `${name}=…` : `[${name}=…]`));
    output.note(plain(`  ${[id, ...fields].join(' ')}${description === '' ? '' : `  ${description}`}`));
  }
  const own = Object.entries(commands).map(([name, { help: says }]) => `${name} (${says})`);
  output.note(
    output.dim(`  ${skills.length > 0 ? 'A tool with key=value … or {json}; without arguments you are asked. ' : ''}${[...own, '/help', '/quit'].join(', ')}`),
  );
}

function plainLines(text: string): string {
  return text.split('\n').map(plain).join('\n');
}
