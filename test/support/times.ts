// After a run: the slowest files, the seconds of each group, and in CI a failure where a group takes too long.
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { groups, type GroupOfTests } from './groups.ts';

const SLOWEST = 10;
const ALLOWED_FACTOR = 1.5;

export class TimesReporter implements Reporter {
  readonly budgets: Readonly<Record<string, Pick<GroupOfTests, 'budgetSeconds'>>>;
  constructor(budgets: TimesReporter['budgets'] = groups) {
    this.budgets = budgets;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length < 2) return;
    const files = modules.map((module) => ({ group: module.project.name, path: relative(process.cwd(), module.moduleId), seconds: secondsOf(module) }));
    const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
    const lines = [
      `The slowest of ${files.length} files:`,
      ...slowest.map(({ path, seconds }) => line(seconds, path)),
      'All files of a group, one after the other:',
    ];
    for (const [group, of] of Object.entries(Object.groupBy(files, (file) => file.group))) {
      const seconds = (of ?? []).reduce((sum, file) => sum + file.seconds, 0);
      const budget = this.budgets[group]?.budgetSeconds ?? Number.POSITIVE_INFINITY;
      const isOver = seconds > budget * ALLOWED_FACTOR;
      lines.push(line(seconds, `${group || 'no group'} (${of?.length} files, budget ${budget} s)${isOver ? ': more than half over its budget' : ''}`));
      if (isOver && process.env['CI'] === 'true') process.exitCode = 1;
    }
    process.once('exit', () => process.stdout.write(`\n${lines.join('\n')}\n`));
  }
}

const line = (seconds: number, text: string): string => `${seconds.toFixed(1).padStart(8)} s  ${text}`;

/** From the worker's start to the last test's end. */
function secondsOf(module: TestModule): number {
  const { prepareDuration, environmentSetupDuration, setupDuration, collectDuration, duration } = module.diagnostic();
  return (prepareDuration + environmentSetupDuration + setupDuration + collectDuration + duration) / 1_000;
}
