// Runs the project's own tests with Node, each file in a process of its own, as `node --test` does on its
// author's machine.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { lineSplitter } from '#drivers/runtime/lines.ts';
import { runBounded, type Ended } from './bounded.ts';
import type { Failed } from './check-report.ts';
import { buildPaths, nodePath, type BuildPlan } from './plan.ts';
import { frontendFolder } from './project.ts';
import { reporterSource, testResults, type TestResults } from './test-results.ts';

const maxFiles = 500;
/** Maximum length of one line of the reporter, which cuts its messages. */
const maxLine = 65_536;

/** Test files among a project's, relative to it; the frontend's have a runner of their own. */
export function testFiles(names: readonly string[], frontend?: string): string[] {
  const own = (name: string): boolean => {
    const folders = name.split(sep).slice(0, -1);
    if (folders.some((folder) => folder === 'node_modules' || folder.startsWith('.'))) return false;
    return frontend === undefined || !name.startsWith(frontend + sep);
  };
  return names.filter((name) => /(?:^|[\\/])[^\\/.][^\\/]*\.test\.[cm]?[jt]s$/.test(name) && own(name)).sort();
}

/** The runner takes names for patterns: what would be one stands for itself. */
export const asPattern = (name: string): string => `./${name.replace(/[*?[\]{}()!+@|\\]/g, '?')}`;

/** @param within milliseconds */
export async function checkTests(plan: BuildPlan, within: number): Promise<Failed | undefined> {
  const folder = frontendFolder(plan);
  const files = testFiles(filesIn(plan.source), folder === undefined ? undefined : relative(plan.source, folder));
  if (files.length === 0) return noTests;
  if (files.length > maxFiles) return { sentence: `The project has more than ${maxFiles} test files.`, failures: [], output: '' };
  mkdirSync(buildPaths.checks, { recursive: true });
  const reporter = join(buildPaths.checks, 'reporter.mjs');
  writeFileSync(reporter, reporterSource);
  console.error(`Running the tests of ${files.length === 1 ? 'a file' : `${files.length} files`}.`);
  const reporters = ['spec', 'stderr', reporter, 'stdout'].map((value, index) => `--test-reporter${index % 2 === 0 ? '' : '-destination'}=${value}`);
  const reports = testResults(plan.source);
  const lines = lineSplitter(reports.take, maxLine);
  const ended = await runBounded([nodePath, '--test', ...reporters, ...files.map(asPattern)], plan.source, {
    withinMs: within,
    onStdout: (chunk) => lines.push(chunk),
    onStderr: (chunk) => void process.stderr.write(chunk),
  });
  lines.end();
  const results = reports.results();
  const failed = judge(results, ended, within);
  if (failed === undefined) console.error(`${results.passed} tests passed in ${(ended.ms / 1_000).toFixed(1)} s.`);
  return failed;
}

const noTests: Failed = { sentence: 'The project has no tests: write at least one in a file NAME.test.ts.', failures: [], output: '' };

/** Undefined: they passed. */
export function judge(results: TestResults, { code, late }: Pick<Ended, 'code' | 'late'>, within: number): Failed | undefined {
  const { passed, failed, failures, running, output } = results;
  if (late) {
    // Where a test is known to run, its file runs too.
    const tests = running.filter((name) => name.includes('"'));
    const still = (tests.length > 0 ? tests : running).slice(0, 10).join(', ');
    const what = still === '' ? '' : `; still running: ${still}`;
    return { sentence: `The tests did not end within ${within / 1_000} seconds and were ended${what}.`, failures, output };
  }
  if (failed > 0) return { sentence: `${failed} of ${passed + failed} tests failed.`, failures, output };
  if (code === null) return { sentence: 'The tests were ended by a signal; they may have used too much memory.', failures, output };
  if (code !== 0) return { sentence: `The tests ended with code ${code}.`, failures, output };
  return passed === 0 ? noTests : undefined;
}

function filesIn(dir: string): string[] {
  const files: string[] = [];
  const walk = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.name === 'node_modules' || entry.name.startsWith('.')) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile()) files.push(relative(dir, path));
    }
  };
  walk(dir);
  return files;
}
