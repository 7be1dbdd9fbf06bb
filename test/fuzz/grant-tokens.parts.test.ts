// A million mutated tokens. FUZZ_SEED runs the same ones again, FUZZ_COUNT another number of them.
import { expect, test } from 'vitest';
import { fuzzTokens } from './run.ts';
import { cites } from '../spec/verifies.ts';

const seed = Number(process.env['FUZZ_SEED'] ?? Math.trunc(Math.random() * 2 ** 32));
const count = Number(process.env['FUZZ_COUNT'] ?? 1_000_000);

test(`${count} mutated grant tokens, none accepted (FUZZ_SEED=${seed})`, cites('grants.wire'), () => {
  expect(fuzzTokens(seed, count).accepted).toEqual([]);
});
