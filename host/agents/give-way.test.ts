import { expect, test } from 'vitest';
import type { Machine } from '../microvm/port.ts';
import { giveWay } from './give-way.ts';

// Nothing of the machine is asked for: only whether there is one.
const machine = {} as Machine;
const agent = (name: string, idleMs: number, more: { asleep?: boolean; works?: boolean } = {}) => ({
  name,
  process: more.asleep === true ? undefined : { machine },
  idleMs: () => idleMs,
  works: more.works === true,
});

test.each([
  ['the least recently used one gives way', [agent('a', 9_000), agent('b', 5_000)], ['a'], true],
  ['one that works after all is passed over, and the next one gives way', [agent('a', 9_000, { works: true }), agent('b', 5_000)], ['a', 'b'], true],
  ['one that sleeps has nothing to give, one that was used just now is left', [agent('a', 9_000, { asleep: true }), agent('b', 100)], [], false],
  ['there is none', [], [], false],
])('%s', async (_, agents, asked, gave) => {
  const seen: string[] = [];
  const sleep = async (one: (typeof agents)[number]): Promise<boolean> => {
    seen.push(one.name);
    return !one.works;
  };
  expect(await giveWay(agents, sleep)).toBe(gave);
  expect(seen).toEqual(asked);
});
