// Where spans are kept that cannot be read from the platform's own rows: what agents export of themselves,
// and what ran in sandboxes.
import type { SpanKind, SpanSource, SpanStatus } from '#contract/states.ts';

export interface SpanEvent {
  name: string;
  /** Nanoseconds since the epoch, in digits. */
  at_ns: string;
  attributes: Record<string, unknown>;
}

export interface StoredSpan {
  run_id: string;
  trace_id: string;
  span_id: string;
  parent_id: string | null;
  /** Account of the agent. */
  owner_id: string;
  agent_name: string;
  source: SpanSource;
  name: string;
  kind: SpanKind;
  /** Nanoseconds since the epoch, in digits: a number does not hold them. */
  start_ns: string;
  end_ns: string;
  status: SpanStatus;
  message: string | null;
  attributes: Record<string, unknown>;
  events: SpanEvent[];
}

/** Callers must add no texts with U+0000 or lone surrogates. */
export interface TraceStore {
  /**
   * Returns at once: they are written later, many at a time. What finds no room is lost, counted, and said in
   * the log.
   */
  add(spans: readonly StoredSpan[]): void;
  /** What was added by now is written, or lost. */
  flush(): Promise<void>;
  /**
   * Of these runs, the oldest first, each once however often it was added. `since`: none was added before.
   */
  ofRuns(runIds: readonly string[], of: { since: Date; limit: number }): Promise<StoredSpan[]>;
  /**
   * Makes room for the days to come and forgets what was added more than `days` days before `now`, but not
   * what belongs to these accounts.
   */
  retain(now: Date, days: number, kept?: readonly string[]): Promise<void>;
  /** Spans lost since this process began. */
  lost(): number;
  /** Writes what it holds; nothing may be added after it. */
  close(): Promise<void>;
}
