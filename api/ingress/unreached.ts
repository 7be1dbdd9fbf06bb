// Why an agent did not answer, for its caller.
import { errors } from 'undici';
import { BadGateway, DomainError, GatewayTimeout, Unavailable } from '#core/kernel/errors.ts';
import type { IngressRoute } from './route-cache.ts';

/** Said by the machine the agent lives on, not by the agent. */
export function hostError(route: IngressRoute, code: string): DomainError {
  if (code === 'wake_queue_full') return busy(route);
  if (code === 'unhealthy') return new GatewayTimeout('agent_timeout', `${route.agentName} did not wake in time: see svc logs ${route.agentName}`);
  return unreachable(route);
}

export function refusalFor(error: unknown, route: IngressRoute): DomainError {
  if (error instanceof DomainError) return error;
  const late = error instanceof errors.HeadersTimeoutError || error instanceof errors.ConnectTimeoutError;
  return late ? new GatewayTimeout('agent_timeout', `${route.agentName} did not answer within ${route.maxRuntimeMs / 1000} s`) : unreachable(route);
}

function unreachable({ agentName, box }: IngressRoute): BadGateway {
  if (box) return new BadGateway('dev_box_not_serving', `nothing is served at ${agentName}; serve its project there with: svc dev`);
  return new BadGateway('agent_unreachable', `${agentName} could not be reached: see svc logs ${agentName}`);
}

export function busy({ agentName }: IngressRoute): Unavailable {
  return new Unavailable('agent_busy', `${agentName} has too many calls waiting: try again in a moment`, { retry_after_seconds: 1 });
}
