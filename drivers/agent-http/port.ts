// Calling an agent's own HTTP server, wherever it is.
import type { Readable } from 'node:stream';

export interface AgentUpstream {
  /** Unix socket of the instance; connecting wakes it. */
  socketPath: string;
}

export interface InvokeRequest {
  skill: string;
  /** JSON text of the arguments. */
  body: string;
  headers: Record<string, string>;
  /** Aborts the call, which cancels the skill. */
  signal: AbortSignal;
  /** From sending to the first byte of the answer, and between bytes of it; milliseconds. */
  timeoutMs: number;
}

export interface InvokeAnswer {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  body: Readable;
}

/** refused: nothing was observed of the agent. timeout: it did not answer in time. gone: the caller left. */
export class AgentUnreachable extends Error {
  readonly reason: 'refused' | 'timeout' | 'gone' | 'busy';
  constructor(reason: AgentUnreachable['reason'], message: string) {
    super(message);
    this.name = 'AgentUnreachable';
    this.reason = reason;
  }
}

export interface AgentHttp {
  /** `POST /invoke/{skill}`. Rejects with AgentUnreachable. */
  invoke(upstream: AgentUpstream, request: InvokeRequest): Promise<InvokeAnswer>;
  /** Ends what is kept open. */
  close(): Promise<void>;
}
