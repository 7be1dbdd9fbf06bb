// npm run test:all: every test of the product itself. Files that passed with the content that they reach now
// are not run again, so a run that was cut off goes on where it was. Ends with a table of all files and the
// one line of counts, of this run and of what passed before.
//   --fresh    runs all of them
//   --group G  of one group alone: `npm run check` asks for unit
//   --measure  writes the processor seconds of files to test/tiers/seconds.json, which sort them into tiers
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { faultsOf } from '../spec/coverage.ts';
import { OPEN } from '../spec/open.ts';
import { sentenceIds } from '../spec/sentences.ts';
import { contentKey, type Graph, isTest, readGraph } from './graph.ts';
import { budgets, expectedSeconds, groupOf, measured, tierOf, usualSeconds } from './groups.ts';
import { type Passed, readPassed, removeOldPassed } from './passed.ts';
import { slowness } from './pace.ts';
import { runTests } from './run.ts';
import { REMEMBER } from './selection.ts';

const { values: options } = parseArgs({ options: { fresh: { type: 'boolean' }, group: { type: 'string' }, measure: { type: 'boolean' } } });
removeOldPassed(Date.now());
const graph = readGraph();
const files = testFiles(graph).filter((file) => tierOf(file) !== 'release' && (options.group === undefined || groupOf(file) === options.group));
const keys = new Map(files.map((file) => [file, contentKey(graph, file)]));
const known = (file: string): Passed | undefined => readPassed(keys.get(file) ?? '');
const before = new Set(options.fresh === true ? [] : files.filter((file) => known(file) !== undefined));
const rest = files.filter((file) => !before.has(file)).toSorted((a, b) => expectedSeconds(b) - expectedSeconds(a));
process.stdout.write(`${files.length} test files; ${before.size} passed before with the same content, ${rest.length} to run.\n`);
// Files with machines compute all the time: more of them at once than there are cores only take longer, each.
const withMachines = rest.filter((file) => ['machine', 'e2e'].includes(groupOf(file)));
// They come last: what a short file finds is mended in sources that most of them reach.
const codes = [await run(rest.filter((file) => !withMachines.includes(file))), await run(withMachines, `--maxWorkers=${availableParallelism()}`)];

const results = files.map((file) => ({ file, result: known(file) }));
const passed = results.flatMap(({ result }) => (result ? [result] : []));
const missing = results.filter(({ result }) => result === undefined).map(({ file }) => file);
for (const { file, seconds, processor, tries } of passed.toSorted((a, b) => b.processor - a.processor))
  process.stdout.write(
    `${processor.toFixed(1).padStart(8)}${seconds.toFixed(1).padStart(8)}  ${tries > 1 ? `${tries} tries  ` : ''}${before.has(file) ? 'before  ' : ''}${file}\n`,
  );
for (const [group, of = []] of Object.entries(Object.groupBy(passed, ({ file }) => groupOf(file)))) {
  // In seconds of the machine that budgets are for: files that ran before may have run on another one.
  const { compute, system } = slowness(of.flatMap(({ pieces }) => pieces ?? []));
  const sum = of.reduce((total, { processor }) => total + processor, 0) / Math.max(compute, system);
  const budget = budgets.all[groupOf(of[0]?.file ?? '')];
  const isOver = budget !== undefined && sum > budget;
  process.stdout.write(
    `${sum.toFixed(1).padStart(8)}  processor seconds: ${group} (${of.length} files, budget ${budget ?? 'none'})${isOver ? ': over its budget' : ''}\n`,
  );
  if (isOver) process.exitCode = 1;
}
const isWhole = missing.length === 0 && options.group === undefined;
const verified = new Set(passed.flatMap((one) => one.verified));
const sentences = new Set(sentenceIds());
const faults = faultsOf({ sentences, open: new Set(Object.keys(OPEN)), cited: verified, verified, whole: isWhole });
for (const fault of faults) process.stdout.write(`The specification: ${fault}\n`);
if (isWhole) process.stdout.write(`${verified.size} of ${sentences.size} sentences of the specification verified, ${Object.keys(OPEN).length} open\n`);
for (const file of missing) process.stdout.write(`Did not pass: ${file}\n`);
if (codes.some((code) => code !== 0) || missing.length > 0 || faults.length > 0) process.exitCode = 1;
if (options.measure === true) measure(passed);
const skipped = passed.reduce((total, one) => total + one.skipped, 0);
process.stdout.write(`${passed.reduce((total, one) => total + one.passed, 0)} passed, ${missing.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);

async function run(of: readonly string[], ...args: string[]): Promise<number> {
  return of.length > 0 ? runTests(of, { args, env: { [REMEMBER]: '1' } }) : 0;
}

function testFiles({ contents }: Graph): string[] {
  return [...contents.keys()].filter((file) => isTest(file) && !/(?:^|\/)templates\/|^core\/studio\/recipe\/[^/]+\/project\//.test(file));
}

/** What did not pass keeps the seconds that it had. */
function measure(of: readonly Passed[]): void {
  const now = of.filter(({ file, processor }) => groupOf(file) !== 'unit' || processor > 2 * usualSeconds.unit);
  const before = missing.flatMap((file) => (measured[file] === undefined ? [] : [[file, measured[file]] as const]));
  const all = [...now.map(({ file, processor }) => [file, Math.round(processor * 10) / 10] as const), ...before];
  writeFileSync(join(import.meta.dirname, 'seconds.json'), `${JSON.stringify(Object.fromEntries(all.toSorted()), undefined, 2)}\n`);
}
