import { expect, test } from 'vitest';
import { AgentCard } from '#contract/wire/card.ts';
import { refuseMailSkill } from './may-call.ts';

const route = (...ids: string[]) => ({
  card: AgentCard.parse({
    name: 'a',
    description: '',
    version: '1.0.0',
    skills: ids.map((id) => ({ id, name: id, description: '', input_schema: {}, output_schema: {} })),
  }),
});

test('on_email is called only by mail: by its name, and where it is all that a message without a name could mean', () => {
  const refused = expect.objectContaining({ code: 'mail_only', message: expect.stringContaining('mailbox') });
  for (const [skills, skill] of [
    [['on_email', 'greet'], 'on_email'],
    [['on_email'], 'message'],
    [['on_email'], 'task'],
    [[], 'on_email'],
  ] as const)
    expect(() => refuseMailSkill(route(...skills), skill), skill).toThrow(refused);
  for (const [skills, skill] of [
    [['on_email', 'greet'], 'greet'],
    [['on_email', 'greet'], 'message'],
    [['greet'], 'message'],
    [[], 'message'],
  ] as const)
    expect(() => refuseMailSkill(route(...skills), skill), skill).not.toThrow();
  expect(() => refuseMailSkill({}, 'greet')).not.toThrow();
});
