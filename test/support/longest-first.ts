// The order of a run: the longest files first, across all groups, so that all cores have work until the end.
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { groups, longFiles } from './groups.ts';

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // vitest's own order decides between equals: those that failed in the last run first.
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => expectedSeconds(b.project.name, b.moduleId) - expectedSeconds(a.project.name, a.moduleId));
  }
}

function expectedSeconds(group: string, file: string): number {
  const [, seconds] = Object.entries(longFiles).find(([end]) => file.endsWith(`/${end}.test.ts`)) ?? [];
  return seconds ?? groups[group]?.usualSeconds ?? 0;
}
