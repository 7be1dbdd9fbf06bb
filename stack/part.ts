// What the supervisor needs to know of a part; stack/parts holds one file for each.
import type { Identity } from './process.ts';
import type { Program } from './program.ts';

interface Common {
  name: string;
  /** Parts that must be well before this one starts. */
  after: string[];
}

/** A program that runs until it is stopped. */
export interface Service extends Common {
  kind: 'service';
  /** For people. */
  address: string;
  /** Everything it needs to start, made or checked before each start. */
  program: () => Promise<Program>;
  /** Rejects with the reason while it cannot do its work. */
  health: () => Promise<void>;
  /** How it is asked to end, and how long it may take, milliseconds. */
  stop: { signal: NodeJS.Signals; graceMs: number };
  /** A process of it that lives though our own record of it is lost. */
  find?: () => Identity | undefined;
}

/** A program that ends on its own; 0 means done. */
export interface Task extends Common {
  kind: 'task';
  program: () => Promise<Program>;
  /** The last line that it writes is for who started it. */
  tells?: boolean;
}

/** Not run by us: we only check whether it is healthy. */
export interface External extends Common {
  kind: 'external';
  address: string;
  health: () => Promise<void>;
}

/** Not there (yet): what depends on it starts without it. */
export interface Skipped extends Common {
  kind: 'skipped';
  note: string;
}

export type Part = Service | Task | External | Skipped;
