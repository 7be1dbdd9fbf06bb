// The sync on its own: any edits on either side, and in the end both are the same and nothing is lost.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isEmpty, planSync, rulesFirst } from './plan.ts';
import { type FileFacts, markOf } from './tree.ts';

type Side = Map<string, { text: string; executable: boolean; mtime: number }>;

const facts = ({ text, executable, mtime }: { text: string; executable: boolean; mtime: number }): FileFacts => ({
  sha256: createHash('sha256').update(text).digest('hex'),
  executable,
  size: text.length,
  mtime,
});
const treeOf = (side: Side): Map<string, FileFacts> => new Map([...side].map(([path, file]) => [path, facts(file)]));
const marksOf = (side: Side): Map<string, string> => new Map([...treeOf(side)].map(([path, file]) => [path, markOf(file)]));
const at = (side: Side, path: string) => {
  const file = side.get(path);
  if (!file) throw new Error(`there is no ${path}`);
  return file;
};

/** What the tool does with a plan, on trees in memory. */
function carryOut(plan: ReturnType<typeof planSync>, here: Side, box: Side): void {
  for (const { path, kept, saved } of plan.conflicts) {
    const [keeps, gives] = kept === 'here' ? [here, box] : [box, here];
    const [stays, other] = [at(keeps, path), at(gives, path)];
    for (const side of [here, box]) side.set(saved, other).set(path, stays);
  }
  for (const path of plan.push) box.set(path, at(here, path));
  for (const path of plan.pull) here.set(path, at(box, path));
  for (const path of plan.removeInBox) box.delete(path);
  for (const path of plan.removeHere) here.delete(path);
}

const path = fc.constantFrom('agent.ts', 'lib/a.ts', 'lib/b.ts', 'data.bin', 'README.md', 'x');
const edit = fc.oneof(
  fc.record({ do: fc.constant('write' as const), path, text: fc.string({ unit: 'binary', maxLength: 6 }), executable: fc.boolean() }),
  fc.record({ do: fc.constant('remove' as const), path }),
  fc.record({ do: fc.constant('rename' as const), path, to: path }),
);
const edits = fc.array(edit, { maxLength: 12 });

let clock = 0;
function make(side: Side, all: readonly (typeof edit extends fc.Arbitrary<infer E> ? E : never)[]): void {
  for (const one of all) {
    clock += 1;
    const file = side.get(one.path);
    if (one.do === 'write') side.set(one.path, { text: one.text, executable: one.executable, mtime: clock });
    else if (one.do === 'remove') side.delete(one.path);
    else if (file) {
      side.delete(one.path);
      side.set(one.to, { ...file });
    }
  }
}

test('whatever is edited on both sides, one round makes them the same, another finds nothing, and no content that somebody wrote is lost', () => {
  fc.assert(
    fc.property(edits, edits, edits, (before, mine, theirs) => {
      const here: Side = new Map();
      make(here, before);
      const box: Side = new Map(here);
      const base = marksOf(here);
      const was = new Set([...here.values()].map(({ text }) => text));
      make(here, mine);
      make(box, theirs);
      const written = [...here.values(), ...box.values()].map(({ text }) => text).filter((text) => !was.has(text));
      carryOut(planSync({ base, here: treeOf(here), box: treeOf(box), now: 0 }), here, box);
      expect(marksOf(here)).toEqual(marksOf(box));
      expect(isEmpty(planSync({ base: marksOf(here), here: treeOf(here), box: treeOf(box) }))).toBe(true);
      const left = new Set([...here.values()].map(({ text }) => text));
      expect(written.filter((text) => !left.has(text))).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test('what one side alone changed goes over, and what one side removed is removed', () => {
  const file = (text: string, mtime = 1) => ({ text, executable: false, mtime });
  const base: Side = new Map([['a', file('a')], ['b', file('b')], ['c', file('c')]]); // prettier-ignore
  const here: Side = new Map([['a', file('a2')], ['b', file('b')]]); // prettier-ignore
  const box: Side = new Map([['a', file('a')], ['c', file('c')], ['d', file('d')]]); // prettier-ignore
  expect(planSync({ base: marksOf(base), here: treeOf(here), box: treeOf(box) })).toEqual({
    push: ['a'],
    pull: ['d'],
    removeInBox: ['c'],
    removeHere: ['b'],
    conflicts: [],
  });
});

test('of a file that both sides changed the newer one stays, by the clock here; the other is saved beside it under a name that is free', () => {
  const side = (text: string, mtime: number): Side => new Map([['lib/a.ts', { text, executable: false, mtime }], ['lib/a.here-19700101-000000.ts', { text: 'taken', executable: false, mtime: 1 }]]); // prettier-ignore
  const conflict = (skewMs: number) =>
    planSync({ base: new Map(), here: treeOf(side('mine', 1_000)), box: treeOf(side('theirs', 900)), skewMs, now: 0 }).conflicts;
  expect(conflict(0)).toEqual([{ path: 'lib/a.ts', kept: 'here', saved: 'lib/a.box-19700101-000000.ts' }]);
  expect(conflict(200)).toEqual([{ path: 'lib/a.ts', kept: 'box', saved: 'lib/a.here-19700101-000000-1.ts' }]);
});

test('what the box begins to ignore is not removed here: ignore files go first', () => {
  const file = (text: string) => ({ text, executable: false, mtime: 1 });
  const here: Side = new Map([['.gitignore', file('')], ['data/kept.csv', file('only copy')]]); // prettier-ignore
  const base = marksOf(here);
  const box: Side = new Map([['.gitignore', file('data/')]]);
  const plan = planSync({ base, here: treeOf(here), box: treeOf(box) });
  expect(plan.removeHere).toEqual(['data/kept.csv']);
  expect(rulesFirst(plan)).toEqual({ push: [], pull: ['.gitignore'], removeInBox: [], removeHere: [], conflicts: [], areRules: true });
  const after: Side = new Map([['.gitignore', file('data/')]]);
  expect(isEmpty(rulesFirst(planSync({ base, here: treeOf(after), box: treeOf(box) })))).toBe(true);
});
