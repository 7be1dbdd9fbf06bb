// Who is signed in. Read once when the page opens, again when the tab is seen again.
import { useSuspenseQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { pathTo } from '#contract/path-to.ts';
import type { Output } from '../api/client.ts';
import { queries, read } from '../api/query.ts';

export type Session = Output<'auth', 'session'>;

export const sessionQuery = { ...read('auth', 'session'), staleTime: 60_000, refetchOnWindowFocus: 'always' as const };

/**
 * For loaders: what a page reads is asked for while its script comes. Does not wait for it; the page shows
 * refusals.
 */
export async function ifSignedIn(begin: () => Promise<unknown>[]): Promise<void> {
  const { authenticated } = await queries().ensureQueryData(sessionQuery);
  if (authenticated) void Promise.all(begin());
}

export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data;
}

/** Where a browser signs in and comes back to this page. */
export function useSignInPath(): string {
  const href = useLocation({ select: (location) => location.href });
  return `${pathTo('GET /v1/auth/oidc/start')}?${new URLSearchParams({ redirect_to: href })}`;
}
