import { expect, test } from 'vitest';
import { AgentCard } from '#contract/wire/card.ts';
import { NO_CREDENTIALS } from '#drivers/remote-agent/port.ts';
import { importedAgent } from './agent.ts';

test('what the other side fills in by default is not filled in for it', () => {
  const input_schema = { type: 'object', properties: { a: { type: 'number' }, unit: { type: 'string', default: 'kg' } }, required: ['a'] };
  const skill = { id: 'add', name: 'add', description: 'Adds.', input_schema, output_schema: {} };
  const card = AgentCard.parse({ name: 'adder', description: 'Adds.', version: '1.0.0', skills: [skill] });
  const remote = { call: () => Promise.reject(new Error('nothing is called')), close: async () => undefined };
  const skills = [{ ...skill, remote: 'add', tags: [], stream: false, typed: false }];
  const { declaration } = importedAgent({ card, skills, remote, credentials: NO_CREDENTIALS });
  const input = declaration.skills.get('add')?.input;
  expect(input?.safeParse({ a: 1 })).toMatchObject({ success: true, data: { a: 1 } });
  expect(input?.parse({ a: 1 })).not.toHaveProperty('unit');
  expect(input?.safeParse({ a: 'x' })).toMatchObject({ success: false });
  // What callers read of it is as the other side says.
  expect(declaration.card.skills[0]?.input_schema).toEqual(input_schema);
});
