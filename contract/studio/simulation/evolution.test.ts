import { expect, test } from 'vitest';
import { compare, type Contestant, evaluate, policyIn, seedsOf, variantsOf, winnerOf } from './evolution.ts';
import { KINDS } from './kinds/index.ts';
import { TEMPLATES, templateOf } from './templates.ts';
import type { SimulationSpec } from './spec.ts';

const market = templateOf('creator-market')?.spec;
const baseOf = (spec: SimulationSpec): Contestant => ({ name: 'base', generation: 0, parent: null, change: '', ...policyIn(spec) });

test('variants are made by the seed, stay in range, and are what the kind knows', () => {
  for (const { spec } of TEMPLATES) {
    const strategies = KINDS[spec.kind].roles[KINDS[spec.kind].subject] ?? {};
    for (const strategy of ['mutate', 'sweep'] as const) {
      for (let seed = 0; seed < 30; seed += 1) {
        const made = variantsOf(spec, baseOf(spec), { strategy, seed, count: 8 });
        expect(made).toEqual(variantsOf(spec, baseOf(spec), { strategy, seed, count: 8 }));
        for (const { strategy: name, parameters } of made) {
          const ranges = strategies[name]?.parameters ?? {};
          expect(Object.keys(parameters).toSorted()).toEqual(Object.keys(ranges).toSorted());
          for (const [key, { min, max }] of Object.entries(ranges)) expect(parameters[key]).toSatisfy((value: number) => value >= min && value <= max);
        }
      }
    }
  }
});

test('the price rule that keeps creators solvent wins, and only what is surely better is proposed', async () => {
  if (!market) throw new Error('no market');
  const seeds = seedsOf(7, 8);
  const rule = (name: string, strategy: string, parameters: Record<string, number>): Contestant => ({ ...baseOf(market), name, strategy, parameters });
  const rules = [rule('below-cost', 'fixed_price', { price_micros: 700 }), rule('at-cost', 'fixed_price', { price_micros: 710 }), rule('by-demand', 'demand_following', { up_permille: 80, down_permille: 40 })]; // prettier-ignore
  const all = [];
  for (const one of rules) all.push(await evaluate(market, one, seeds));
  const compared = compare(all, 7);
  expect(winnerOf(compared, 3_000)?.name).toBe('by-demand');
  expect(compared.map(({ gain }) => gain.low > 0)).toEqual([false, expect.any(Boolean), true]);
  // Nothing is better than the best one, and what loses too much on one seed is not proposed.
  expect(winnerOf(compare(all.toReversed(), 7), 100_000)).toBeUndefined();
  const [base, better] = compared;
  if (!base || !better) throw new Error('two were compared');
  const risky = { ...better, gain: { mean: 500, low: 100, high: 900 }, worst: -3_001 };
  expect(winnerOf([base, risky], 3_000)).toBeUndefined();
  expect(winnerOf([base, risky], 3_001)?.name).toBe('at-cost');
  expect(winnerOf([base, { ...risky, violations: 1 }], 100_000)).toBeUndefined();
});
