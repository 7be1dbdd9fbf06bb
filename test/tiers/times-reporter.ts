// After a run: the files that took most, the processor seconds of each group, and a failure where a whole
// tier is over its budget.
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import type { Orphans } from './orphans.ts';
import { slowness } from './pace.ts';
import { allTimes, treeSeconds } from './processor-time.ts';

const SHOWN = 10;

export interface FileTime {
  group: string;
  path: string;
  /** Processor seconds, of the programs that it started too. */
  processor: number;
  /** From its start to its last test's end. */
  seconds: number;
}

export interface TimesOptions {
  /**
   * Processor seconds by group, on the machine of pace.ts; `whole` is the run itself, the servers of the
   * tests and the runner with it. Undefined: nothing is held to one.
   */
  budget: Readonly<Partial<Record<string, number>>> | undefined;
  orphans: Orphans;
}

export class TimesReporter implements Reporter {
  readonly #budget: TimesOptions['budget'];
  readonly #orphans: Orphans;

  constructor({ budget, orphans }: TimesOptions) {
    this.#budget = budget;
    this.#orphans = orphans;
  }

  onTestRunStart(): void {
    this.#orphans.start();
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    this.#orphans.stop();
    if (modules.length < 2) return;
    const orphans = this.#orphans.byFile();
    const files = modules.map((module) => timeOfFile(module, orphans));
    const largest = files.toSorted((a, b) => b.processor - a.processor);
    const lines = [
      `Processor seconds, and seconds, of the ${Math.min(SHOWN, files.length)} largest of ${files.length} files:`,
      ...largest.slice(0, SHOWN).map(fileLine),
    ];
    lines.push('Processor seconds of each group:');
    const budget = this.#budget ?? {};
    const over: string[] = [];
    const { compute, system } = slowness(modules.flatMap((module) => module.meta().pieces ?? []));
    const slower = Math.max(compute, system);
    lines.push(
      `One second of the machine that the budgets are for was ${slower.toFixed(2)} here (computing ${compute.toFixed(2)}, system ${system.toFixed(2)}).`,
    );
    const note = (group: string, seconds: number, what: string, names: readonly FileTime[]): void => {
      const allowed = (budget[group] ?? Number.POSITIVE_INFINITY) * slower;
      const isOver = seconds > allowed;
      lines.push(`${number(seconds)}  ${what}${Number.isFinite(allowed) ? `, budget ${allowed.toFixed(1)}` : ''}${isOver ? ': over its budget' : ''}`);
      if (isOver)
        over.push(
          `The ${group === 'whole' ? 'run' : `group ${group}`} took ${seconds.toFixed(0)} processor seconds of ${allowed.toFixed(1)}. Most: ${names.map(({ path, processor }) => `${path} ${processor.toFixed(1)}`).join(', ')}`,
        );
    };
    for (const [group, of = []] of Object.entries(Object.groupBy(largest, (file) => file.group)))
      note(group, sum(of), `${group || 'no group'} (${of.length} files)`, of.slice(0, SHOWN));
    const whole = treeSeconds(allTimes(), process.pid) + [...orphans.values()].reduce((total, one) => total + one, 0);
    lines.push(`${number(Math.max(0, whole - sum(files)))}  the runner, and the servers that tests share`);
    note('whole', whole, 'the whole run', largest.slice(0, SHOWN));
    // On purpose for whole tiers alone: a part of one takes less.
    if (over.length > 0 && this.#budget !== undefined) process.exitCode = 1;
    process.once('exit', () => process.stdout.write(`\n${[...lines, ...over].join('\n')}\n`));
  }
}

export function timeOfFile(module: TestModule, orphans: ReadonlyMap<string, number>): FileTime {
  const { prepareDuration, environmentSetupDuration, setupDuration, collectDuration, duration } = module.diagnostic();
  return {
    group: module.project.name,
    path: relative(process.cwd(), module.moduleId),
    processor: (module.meta().processorSeconds ?? 0) + (orphans.get(module.moduleId) ?? 0),
    seconds: (prepareDuration + environmentSetupDuration + setupDuration + collectDuration + duration) / 1_000,
  };
}

const sum = (files: readonly FileTime[]): number => files.reduce((total, { processor }) => total + processor, 0);
const number = (seconds: number): string => seconds.toFixed(1).padStart(8);
const fileLine = ({ path, processor, seconds }: FileTime): string => `${number(processor)}${number(seconds)}  ${path}`;
