// Calls of agents over the shared pools: whole requests, answers as they come.
import { errors } from 'undici';
import type { AgentPool, AgentPools } from './pools.ts';
import { type AgentAnswer, type AgentHttp, type AgentRequest, AgentUnreachable } from './port.ts';

export function pooledAgentHttp(pools: AgentPools): AgentHttp {
  return {
    async send({ address }, request) {
      const taken = pools.take(address);
      if (!taken) throw new AgentUnreachable('busy', 'Too many calls wait for the agent');
      let given = false;
      const giveBack = (): void => {
        if (!given) taken.inFlight--;
        given = true;
      };
      try {
        const answer = await send(taken.pool, request);
        answer.body.once('close', giveBack);
        if (answer.body.closed) giveBack();
        return answer;
      } catch (error) {
        giveBack();
        throw error instanceof AgentUnreachable ? error : unreachable(error, request.signal);
      }
    },
  };
}

async function send(pool: AgentPool['pool'], i: AgentRequest): Promise<AgentAnswer> {
  const { statusCode, headers, body } = await pool.request({
    method: i.method,
    path: i.path,
    headers: i.headers,
    body: i.body,
    signal: i.signal,
    headersTimeout: i.timeoutMs,
    bodyTimeout: i.silenceMs ?? i.timeoutMs,
  });
  const runtimeError = headers['x-svc-runtime-error'];
  if (runtimeError === undefined) return { status: statusCode, headers: plain(headers), body };
  body.resume();
  throw hostRefusal(String(runtimeError));
}

/** The host answered in the agent's place: it could not be woken. */
function hostRefusal(code: string): AgentUnreachable {
  if (code === 'wake_queue_full') return new AgentUnreachable('busy', 'Too many callers wait for the agent to wake');
  if (code === 'unhealthy') return new AgentUnreachable('timeout', 'The agent did not wake in time');
  return new AgentUnreachable('refused', 'The agent could not be woken');
}

function unreachable(error: unknown, signal: AbortSignal): AgentUnreachable {
  if (signal.aborted) return new AgentUnreachable('gone', 'The caller went away');
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError || error instanceof errors.ConnectTimeoutError) {
    return new AgentUnreachable('timeout', 'The agent did not answer in time');
  }
  return new AgentUnreachable('refused', 'The agent could not be reached');
}

function plain(headers: Record<string, string | string[] | undefined>): Record<string, string | string[]> {
  return Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name.toLowerCase(), value]])));
}
