// A test's agent asks whom the platform would ask, and remembers as it does: each caller apart, and what is
// shared for all.
import { describe, expect, test } from 'vitest';
import type { Recipient } from '../authoring/context.ts';
import { Agent, NobodyToAsk, NotAvailable, skill, z } from '../index.ts';
import { testAgent, type TestOptions } from '../testing.ts';

class Desk extends Agent {
  name = 'desk';
  description = 'Asks whom it is told to.';
  version = '1.0.0';
  ask = skill({ input: z.object({ of: z.unknown() }), output: z.string() }, async (ctx, { of }) => await ctx.ask('Approve?', 5, { of: of as Recipient }));
  keep = skill({ input: z.object({ key: z.string() }), output: z.object({ mine: z.int(), all: z.int() }) }, async (ctx, { key }) => {
    await ctx.sharedMemory.put(key, ctx.caller?.email ?? null);
    if (ctx.caller) await ctx.memory.put(key, 'own');
    return { mine: ctx.caller ? (await ctx.memory.list()).items.length : 0, all: (await ctx.sharedMemory.list()).items.length };
  });
  remember = skill({ output: z.null() }, async (ctx) => {
    await ctx.memory.put('k', 1);
    return null;
  });
}

const ben = { sub: 'ben@example.com' };
const people: TestOptions['people'] = [
  { email: 'cfo@example.com', id: 'usr_1', role: 'admin' },
  { email: 'ben@example.com', role: 'developer' },
];

test.each<[Recipient]>([['owner'], [{ people: ['CFO@example.com'] }], [{ people: ['usr_1'] }], [{ role: 'admin' }]])(
  '%o is asked, and the caller does not read it',
  async (of) => {
    const asked: Recipient[] = [];
    const desk = testAgent(Desk, { people, caller: null, onQuestion: (question) => (asked.push(question.of), 'yes') });
    const { result, events } = await desk.invoke('ask', { of });
    expect([result, asked]).toEqual(['yes', [of]]);
    expect(events.map(({ kind }) => kind)).not.toContain('question');
  },
);

describe('nobody is asked where somebody cannot be', () => {
  test.each<[string, TestOptions['caller'], Recipient]>([
    ['the caller is not signed in', null, 'caller'],
    ['the caller alone has the role', ben, { role: 'developer' }],
    ['nobody has the role', ben, { role: 'auditor' }],
    ['one of them is a stranger', ben, { people: ['cfo@example.com', 'stranger@example.com'] }],
  ])('%s', async (_why, caller = null, of) => {
    const desk = testAgent(Desk, { people, caller, onQuestion: () => expect.fail('asked') });
    await expect(desk.invoke('ask', { of })).rejects.toBeInstanceOf(NobodyToAsk);
  });

  test.each([
    ['everybody'],
    [{}],
    [{ people: [] }],
    [{ people: Array.from({ length: 21 }, () => 'x') }],
    [{ role: 'boss' }],
    [{ role: 'admin', people: ['x'] }],
  ])('%o is no recipient', async (of) => {
    const desk = testAgent(Desk, { people, onQuestion: () => expect.fail('asked') });
    await expect(desk.invoke('ask', { of })).rejects.toThrow();
    expect(JSON.stringify(desk.log)).toContain('ask: `of` is');
  });
});

test('each caller has a memory of their own, who is not signed in has none, and all share one', async () => {
  const desk = testAgent(Desk);
  const kept = async (key: string, caller: TestOptions['caller'] = null) => (await desk.invoke('keep', { key }, { caller })).result;
  expect(await kept('a', ben)).toEqual({ mine: 1, all: 1 });
  expect(await kept('b', { sub: 'usr_2' })).toEqual({ mine: 1, all: 2 });
  expect(await kept('c')).toEqual({ mine: 0, all: 3 });
  await expect(desk.invoke('remember', {}, { caller: null })).rejects.toBeInstanceOf(NotAvailable);
  expect((await desk.invoke('remember', {})).result).toBeNull();
});
