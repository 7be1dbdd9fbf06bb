// What /readyz says of the parts of the platform; it is no route of the API.
import { queryOptions } from '@tanstack/react-query';

export interface Readiness {
  ready: boolean;
  parts: { name: string; works: boolean }[];
}

export const readinessQuery = queryOptions({ queryKey: ['readyz'], queryFn: ({ signal }) => readiness(signal), refetchInterval: 5_000, staleTime: 0 });

async function readiness(signal: AbortSignal): Promise<Readiness> {
  // 503 with the same body where a part fails.
  const response = await fetch('/readyz', { headers: { accept: 'application/json' }, signal });
  return readinessIn(await response.json());
}

/** @throws Error where it is no such answer */
export function readinessIn(body: unknown): Readiness {
  if (typeof body !== 'object' || body === null || !('status' in body) || !('parts' in body))
    throw new Error('/readyz did not answer with the parts of the platform.');
  const { status, parts } = body;
  const all = typeof parts === 'object' && parts !== null ? Object.entries(parts) : [];
  return { ready: status === 'ok', parts: all.map(([name, state]) => ({ name, works: state === 'ok' })) };
}
