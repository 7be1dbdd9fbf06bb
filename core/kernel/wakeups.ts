// How readers of a log learn that there is more to read, and those of an account that something changed.
import type { AccountEventKind } from '#contract/states.ts';

/** Woken when a job or thread may have new events. */
export interface Wakeups {
  /** From now on: watch before you read. To be ended. */
  watch(id: string): Watch;
  accounts: AccountEvents;
}

/** What comes for one job or thread, for one reader at a time. */
export interface Watch {
  /** Resolves once there was a notification since it last did, after `timeoutMs`, or when the watch ends. */
  next(timeoutMs: number): Promise<void>;
  end(): void;
}

/** One thing of an account that changed. */
export interface AccountEvent {
  /** For Last-Event-ID. */
  id: string;
  /** reset: anything may have changed. */
  kind: AccountEventKind;
  /** Of what changed; null with reset. */
  of: string | null;
}

/** What changes for accounts. */
export interface AccountEvents {
  /** How many readers an account has in this process. */
  readers(owner: string): number;
  /**
   * Everything after `lastId`, then what happens, until `signal` aborts; a reset where that is not known.
   * Listens from the call on.
   */
  follow(owner: string, lastId: string | undefined, signal: AbortSignal): AsyncGenerator<AccountEvent>;
}
