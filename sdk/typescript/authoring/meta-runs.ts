// What a coordinator agent remembers of a goal it works at, and what it reports of calls that the platform
// did not see.

export type MetaRunStatus = 'planning' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';

export interface MetaRun {
  readonly id: string;
  readonly goal: string;
  /** When the goal is reached. */
  readonly criteria: readonly string[];
  /** Any JSON object, at most 64 KiB. */
  readonly plan: Readonly<Record<string, unknown>>;
  readonly progress: Readonly<Record<string, unknown>>;
  /** The last three are final. */
  readonly status: MetaRunStatus;
  /** Grows by one with every change. */
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly endedAt: string | null;
}

export interface MetaRunOptions {
  criteria?: readonly string[];
  /** Replaced whole, as is progress. */
  plan?: Readonly<Record<string, unknown>>;
  progress?: Readonly<Record<string, unknown>>;
  status?: MetaRunStatus;
}

export interface MetaRunChangeOptions extends MetaRunOptions {
  goal?: string;
}

/**
 * Of this agent, for the person the run works for: kept from run to run, so that work can continue after a
 * restart.
 */
export interface MetaRuns {
  create(goal: string, options?: MetaRunOptions): Promise<MetaRun>;
  get(id: string): Promise<MetaRun | undefined>;
  /** Newest first; `open`: what has not ended. */
  list(options?: {
    state?: 'all' | 'open';
    limit?: number;
    cursor?: string | null | undefined;
  }): Promise<{ items: readonly MetaRun[]; nextCursor: string | null }>;
  /** Of the version it was made of; undefined when it was changed meanwhile: read again, then decide. */
  update(id: string, version: number, change: MetaRunChangeOptions): Promise<MetaRun | undefined>;
}

/** A call that was made directly, not through the platform. Times are RFC 3339. */
export interface TrackCallOptions {
  /** The token of the grant that it was made with. */
  grant: string;
  skill: string;
  state: 'running' | 'succeeded' | 'failed' | 'cancelled';
  startedAt: string;
  /** Null while it is running. */
  endedAt?: string | null;
  /** Kept, so that its user can make it again. */
  args?: Readonly<Record<string, unknown>>;
  outputSha256?: string | null;
  errorCode?: string | null;
}
