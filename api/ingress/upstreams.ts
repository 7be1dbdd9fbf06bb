// One bounded keep-alive pool (undici) for each agent instance; unused ones go.
import { Pool } from 'undici';

export interface Upstreams {
  /** Undefined when as many requests wait for this instance as may. */
  take(socketPath: string): Upstream | undefined;
  close(): Promise<void>;
}

export interface Upstream {
  pool: Pool;
  /** Requests under way or waiting; whoever takes an upstream gives it back. */
  inFlight: number;
  usedAt: number;
}

export interface UpstreamLimits {
  connections: number;
  /** Under way or waiting, for each instance. */
  inFlight: number;
  idleMs: number;
  /** Connecting wakes the agent: from cold that is a boot. */
  connectMs: number;
}

export const UPSTREAM_LIMITS: UpstreamLimits = { connections: 128, inFlight: 512, idleMs: 60_000, connectMs: 30_000 };

export function createUpstreams(clock: () => number, limits: UpstreamLimits = UPSTREAM_LIMITS): Upstreams {
  const open = new Map<string, Upstream>();
  const sweep = setInterval(() => {
    for (const [path, upstream] of open) {
      if (upstream.inFlight > 0 || clock() - upstream.usedAt < limits.idleMs) continue;
      open.delete(path);
      void upstream.pool.close();
    }
  }, limits.idleMs).unref();
  return {
    take(socketPath) {
      let upstream = open.get(socketPath);
      if (!upstream) {
        upstream = { pool: poolOf(socketPath, limits), inFlight: 0, usedAt: 0 };
        open.set(socketPath, upstream);
      }
      if (upstream.inFlight >= limits.inFlight) return undefined;
      upstream.inFlight++;
      upstream.usedAt = clock();
      return upstream;
    },
    async close() {
      clearInterval(sweep);
      await Promise.all([...open.values()].map(({ pool }) => pool.destroy()));
      open.clear();
    },
  };
}

function poolOf(socketPath: string, { connections, connectMs }: UpstreamLimits): Pool {
  // Kept shorter than the agent keeps its side, so that we never write into a connection it is closing.
  return new Pool('http://agent', {
    socketPath,
    connections,
    pipelining: 1,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 4_000,
    connect: { timeout: connectMs },
  });
}
