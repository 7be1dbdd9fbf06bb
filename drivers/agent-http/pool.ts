// undici (Node's own HTTP client as a package): one keep-alive pool per agent instance, bounded in number.
import { errors, Pool } from 'undici';
import { type AgentAnswer, type AgentHttp, type AgentRequest, AgentUnreachable, type AgentUpstream } from './port.ts';

const connectionsPerAgent = 64;
const maxPools = 512;
/** Below the agent server's own keep-alive time, so that we never write into a connection it is closing. */
const keepAliveMs = 4_000;
/** Waking from cold is a boot. */
const connectTimeoutMs = 30_000;

export function pooledAgentHttp(): AgentHttp {
  const pools = new Map<string, Pool>();

  function poolOf({ socketPath }: AgentUpstream): Pool {
    const known = pools.get(socketPath);
    if (known) {
      // Most recently used last.
      pools.delete(socketPath);
      pools.set(socketPath, known);
      return known;
    }
    const pool = new Pool('http://agent', {
      socketPath,
      connections: connectionsPerAgent,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      connect: { timeout: connectTimeoutMs },
    });
    pools.set(socketPath, pool);
    const [oldest] = pools;
    if (pools.size > maxPools && oldest) {
      pools.delete(oldest[0]);
      void oldest[1].close();
    }
    return pool;
  }

  return {
    send: (upstream, request) => send(poolOf(upstream), request),
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
      pools.clear();
    },
  };
}

async function send(pool: Pool, i: AgentRequest): Promise<AgentAnswer> {
  try {
    const { statusCode, headers, body } = await pool.request({
      method: i.method,
      path: i.path,
      headers: i.headers,
      body: i.body,
      signal: i.signal,
      headersTimeout: i.timeoutMs,
      bodyTimeout: i.timeoutMs,
    });
    const runtimeError = headers['x-svc-runtime-error'];
    if (runtimeError !== undefined) {
      body.resume();
      throw hostRefusal(String(runtimeError));
    }
    return { status: statusCode, headers: plain(headers), body };
  } catch (error) {
    throw error instanceof AgentUnreachable ? error : unreachable(error, i.signal);
  }
}

/** The host answered in the agent's place: it could not be woken. */
function hostRefusal(code: string): AgentUnreachable {
  if (code === 'wake_queue_full') return new AgentUnreachable('busy', 'Too many callers wait for the agent to wake');
  if (code === 'unhealthy') return new AgentUnreachable('timeout', 'The agent did not wake in time');
  return new AgentUnreachable('refused', 'The agent could not be woken');
}

function unreachable(error: unknown, signal: AbortSignal): AgentUnreachable {
  if (signal.aborted) return new AgentUnreachable('gone', 'The caller went away');
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError) {
    return new AgentUnreachable('timeout', 'The agent did not answer in time');
  }
  return new AgentUnreachable('refused', 'The agent could not be reached');
}

function plain(headers: Record<string, string | string[] | undefined>): Record<string, string | string[]> {
  return Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name.toLowerCase(), value]])));
}
