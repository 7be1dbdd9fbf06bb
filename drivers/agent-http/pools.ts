// One bounded keep-alive pool (undici, Node's own HTTP client as a package) for each agent instance; unused
// ones go. Everything that talks to agents shares them, so that an instance never has more connections and
// waiting requests than one bound says.
import { Pool } from 'undici';
import { type AgentAddress, keyOf, originOf } from './address.ts';

export interface AgentPools {
  /** Undefined when as many requests wait for this instance as may. */
  take(address: AgentAddress): AgentPool | undefined;
  close(): Promise<void>;
}

export interface AgentPool {
  pool: Pool;
  /** Requests under way or waiting; each taker of a pool counts itself out again. */
  inFlight: number;
  usedAt: number;
}

export interface PoolLimits {
  connections: number;
  /** Under way or waiting, for each instance. */
  inFlight: number;
  /** Instances with a pool; the one unused for longest goes first. */
  pools: number;
  idleMs: number;
  /** Connecting wakes the agent: from cold that is a boot. */
  connectMs: number;
}

// A run that is followed holds its connection for as long as it works: nothing may have to wait for one. API
// and worker together keep within what a host's bridge takes for one instance.
const POOL_LIMITS: PoolLimits = { connections: 512, inFlight: 512, pools: 2_000, idleMs: 60_000, connectMs: 30_000 };

/** `clock` in milliseconds, since any moment. */
export function createAgentPools(limits: PoolLimits = POOL_LIMITS, clock: () => number = () => performance.now()): AgentPools {
  const open = new Map<string, AgentPool>();
  const drop = (key: string, { pool }: AgentPool): void => {
    open.delete(key);
    // What is under way on it still ends.
    void pool.close();
  };
  const sweep = setInterval(() => {
    for (const [key, one] of open) if (one.inFlight === 0 && clock() - one.usedAt >= limits.idleMs) drop(key, one);
  }, limits.idleMs).unref();

  function add(key: string, address: AgentAddress): AgentPool {
    if (open.size >= limits.pools) {
      const [longest] = [...open].sort(([, a], [, b]) => Number(a.inFlight > 0) - Number(b.inFlight > 0) || a.usedAt - b.usedAt);
      if (longest) drop(...longest);
    }
    const made = { pool: poolOf(address, limits), inFlight: 0, usedAt: 0 };
    open.set(key, made);
    return made;
  }

  return {
    take(address) {
      const key = keyOf(address);
      const one = open.get(key) ?? add(key, address);
      if (one.inFlight >= limits.inFlight) return undefined;
      one.inFlight++;
      one.usedAt = clock();
      return one;
    },
    async close() {
      clearInterval(sweep);
      await Promise.all([...open.values()].map(({ pool }) => pool.destroy()));
      open.clear();
    },
  };
}

function poolOf(address: AgentAddress, { connections, connectMs }: PoolLimits): Pool {
  // Kept shorter than the agent keeps its side, so that we never write into a connection it is closing.
  return new Pool(originOf(address), {
    ...('unix' in address ? { socketPath: address.unix } : {}),
    connections,
    pipelining: 1,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 4_000,
    connect: { timeout: connectMs },
  });
}
