// The order of a run: as the list says that it was given, else the longest files first, across all groups, so
// that all cores have work until the end.
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { expectedSeconds } from './groups.ts';
import { listedFiles } from './selection.ts';

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const path = ({ moduleId }: TestSpecification): string => relative(process.cwd(), moduleId);
    const listed = listedFiles();
    if (listed !== undefined) {
      const places = new Map(listed.map((file, place) => [file, place]));
      return files.toSorted((a, b) => (places.get(path(a)) ?? 0) - (places.get(path(b)) ?? 0));
    }
    // vitest's own order decides between equals: those that failed in the last run first.
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => expectedSeconds(path(b)) - expectedSeconds(path(a)));
  }
}
