import { expect, test } from 'vitest';
import { mentionAt, withAgent, withSkill } from './mention.ts';

const at = (marked: string) => mentionAt(marked.replace('|', ''), marked.indexOf('|'));

test('what is being named at the caret', () => {
  expect(at('@|')).toEqual({ at: 0, agent: '', skill: undefined });
  expect(at('ask @gre|eter now')).toEqual({ at: 4, agent: 'gre', skill: undefined });
  expect(at('@greeter.|')).toEqual({ at: 0, agent: 'greeter', skill: '' });
  expect(at('one\n@greeter.gr|')).toEqual({ at: 4, agent: 'greeter', skill: 'gr' });
  expect(at('@a.b {} then @greeter.gr|')).toEqual({ at: 13, agent: 'greeter', skill: 'gr' });
});

test('where nothing is named', () => {
  for (const marked of ['|', 'me@example|', '@greeter |', '@greeter.greet {"a": "|', '@.gr|', '@UPPER|', '@greeter|'.replace('|', ' |')])
    expect(at(marked)).toBeUndefined();
  expect(mentionAt('@'.repeat(100_000), 100_000)).toBeUndefined();
});

test('an agent is followed by a dot, a skill by what it needs', () => {
  const text = 'ask @gre now';
  const named = withAgent(text, 8, { at: 4, agent: 'gre', skill: undefined }, 'greeter');
  expect(named).toEqual({ text: 'ask @greeter. now', caret: 13 });
  const mention = { at: 0, agent: 'a', skill: '' };
  const of = (input_schema: Record<string, unknown>) => withSkill('@a.', 3, mention, { id: 's', input_schema });
  expect(of({})).toEqual({ text: '@a.s ', caret: 5 });
  expect(of({ required: ['text'], properties: { text: { type: 'string' } } })).toEqual({ text: '@a.s ', caret: 5 });
  expect(of({ required: ['text', 'n'], properties: { text: { type: 'string' }, n: { type: 'number' } } })).toEqual({
    text: '@a.s {"text": "", "n": }',
    caret: 15,
  });
  expect(of({ required: ['n'], properties: { n: { type: 'number' } } })).toEqual({ text: '@a.s {"n": }', caret: 11 });
});
