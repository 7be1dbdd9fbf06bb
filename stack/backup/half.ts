// Whether a restore was cut off as it moved what it had written: then nothing is started.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Where a restore writes, beside the places of what it brings. */
export const draftOf = (stateDir: string): string => join(stateDir, 'restoring');

/** Exists while the parts are moved to their places. */
export const movingMark = (stateDir: string): string => join(draftOf(stateDir), 'moving');

export const halfRestored = (stateDir: string): string | undefined =>
  existsSync(movingMark(stateDir)) ? 'A restore into this folder was cut off. Run npm run restore again: it goes on where it was.' : undefined;
