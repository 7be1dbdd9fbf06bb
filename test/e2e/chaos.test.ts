// Ten kills of the kill test, agents as plain processes: `npm run test:chaos` does a hundred, in machines
// with --vm.
import { expect, test } from 'vitest';
import { trial, usual } from '../chaos/trial.ts';

test('whatever is killed or stands still, what was accepted ends once, and nothing is lost, done twice or left behind', async () => {
  const log: string[] = [];
  const result = await trial({
    ...usual,
    seed: 5,
    kills: 10,
    killsPerRound: 5,
    operationsPerRound: 10,
    deployEvery: 2,
    vm: false,
    say: (text) => void log.push(text),
  });
  expect(result.faults, log.join('\n')).toEqual([]);
  expect([result.kills, result.operations]).toEqual([10, 20]);
});
