// Help pages of an agent in use and of its tools.
import { humanized } from '#contract/wire/wording.ts';
import { hintOf, shown } from '../ask/field.ts';
import { plain } from '../lib/output.ts';
import { flagsOf } from './flags.ts';
import type { Stub } from './stubs.ts';

export function agentPage({ agent, api, card, fetched_at }: Stub): string {
  const width = Math.max(...card.skills.map(({ id }) => id.length));
  const tools = card.skills.map(({ id, description }) => `  ${id.padEnd(width)}  ${plain(description)}`.trimEnd());
  return `Usage: svc ${agent} TOOL [--flag VALUE...]\n\n${plain(card.description)}\n\n${tools.join('\n')}\n\nVersion ${plain(card.version)} at ${api}, as of ${fetched_at.slice(0, 16).replace('T', ' ')}; newer: svc use ${agent}\n`;
}

export function toolPage({ agent }: Stub, skill: Stub['card']['skills'][number]): string {
  const flags = flagsOf(skill);
  const rows = flags.map(({ name, field }) => ({
    names: field.kind === 'boolean' && !field.choices ? `${name}, --no-${name.slice(2)}` : `${name} VALUE`,
    text: [
      plain(field.description || (field.title === humanized(field.name) ? '' : field.title)),
      `(${plain(hintOf(field))}${field.required ? '; required' : ''}${field.default === undefined ? '' : `; default: ${plain(shown(field.default))}`})`,
    ]
      .filter(Boolean)
      .join(' '),
  }));
  const width = Math.max(0, ...rows.map(({ names }) => names.length));
  const needed = flags.filter(({ field }) => field.required).map(({ name }) => `${name} VALUE`);
  return [
    `Usage: svc ${[agent, skill.id, ...needed, '[OPTIONS]'].join(' ')}`,
    plain(skill.description),
    rows.length === 0 ? 'It takes no arguments.' : `Arguments:\n${rows.map(({ names, text }) => `  ${names.padEnd(width)}  ${text}`).join('\n')}`,
    'A value @file is read from the file, @- from standard input. --json gives all arguments at once; --detach, --durable, --events, --idempotency-key, --no-input and --api are those of svc call.',
  ]
    .filter(Boolean)
    .join('\n\n')
    .concat('\n');
}
