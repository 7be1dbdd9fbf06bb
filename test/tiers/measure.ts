// Notes with each test file the processor seconds that it took, those of the programs it started among them.
// Files of a project may share a process: what one took is what the process took since the one before.
import { afterAll, expect } from 'vitest';
import { TEST_FILE } from './orphans.ts';
import { type Pieces, piecesNow } from './pace.ts';
import { timeOf } from './processor-time.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** Of a file. */
    processorSeconds?: number;
    /** Of a file: what the pieces of pace.ts took after it. */
    pieces?: Pieces;
  }
}

const BEFORE = Symbol.for('svc.processorSeconds');
const kept: typeof globalThis & { [BEFORE]?: number } = globalThis;
const before = kept[BEFORE] ?? 0;
process.env[TEST_FILE] = expect.getState().testPath ?? '';

// Set up first, so it runs last: what the file started has ended.
// oxlint-disable-next-line no-empty-pattern -- vitest reads from the pattern which fixtures it shall make: none
afterAll(({}, suite) => {
  const now = timeOf('self')?.seconds ?? 0;
  kept[BEFORE] = now;
  suite.file.meta.processorSeconds = now - before;
  suite.file.meta.pieces = piecesNow();
});
