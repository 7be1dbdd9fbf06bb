// How readers of a log learn that there is more to read.

/** Woken when a job or thread may have new events. */
export interface Wakeups {
  /** From now on: watch before you read. To be ended. */
  watch(id: string): Watch;
}

/** What comes for one job or thread, for one reader at a time. */
export interface Watch {
  /** Resolves once there was a notification since it last did, after `timeoutMs`, or when the watch ends. */
  next(timeoutMs: number): Promise<void>;
  end(): void;
}
