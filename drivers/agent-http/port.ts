// Calling an agent's own HTTP server, wherever it is.
import type { Readable } from 'node:stream';
import type { AgentAddress } from './address.ts';

interface AgentUpstream {
  /** Of the instance; the first bytes of a connection wake it. */
  address: AgentAddress;
}

export interface AgentRequest {
  method: 'GET' | 'POST';
  path: string;
  body: string | Uint8Array;
  /** By name, or name and value in turn. */
  headers: Record<string, string> | string[];
  /** Aborts the request, which cancels the skill. */
  signal: AbortSignal;
  /** From sending to the first byte of the answer, and between bytes of it; milliseconds. */
  timeoutMs: number;
  /**
   * Between bytes, where that is another time; 0: the reader decides, since an agent is silent while it
   * sleeps.
   */
  silenceMs?: number;
}

export interface AgentAnswer {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string | string[]>;
  body: Readable;
}

/**
 * refused: nothing was observed of the agent. timeout: it did not answer in time. gone: the caller left.
 * busy: too many wait.
 */
export class AgentUnreachable extends Error {
  readonly reason: 'refused' | 'timeout' | 'gone' | 'busy';
  constructor(reason: AgentUnreachable['reason'], message: string) {
    super(message);
    this.name = 'AgentUnreachable';
    this.reason = reason;
  }
}

export interface AgentHttp {
  /** Rejects with AgentUnreachable. */
  send(upstream: AgentUpstream, request: AgentRequest): Promise<AgentAnswer>;
}
