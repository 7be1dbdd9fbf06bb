// Who is signed in. Read once when the page opens, again when the tab is seen again.
import { useSuspenseQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { pathTo } from '#contract/path-to.ts';
import { client, type Output } from '../api/client.ts';
import { queries, read } from '../api/query.ts';
import { setSessionEnded } from './ended.ts';

export type Session = Output<'auth', 'session'>;

const sessionRead = read('auth', 'session');

export const sessionQuery = {
  ...sessionRead,
  staleTime: 60_000,
  refetchOnWindowFocus: 'always' as const,
  // Of a session that has ended meanwhile the page keeps what it knows: its forms stay.
  queryFn: async (): Promise<Session> => {
    const session = await client.auth.session();
    const before = queries().getQueryData<Session>(sessionRead.queryKey);
    if (!before?.authenticated || session.authenticated) return session;
    setSessionEnded(true);
    return before;
  },
};

/** Who is signed in by now, whatever the page shows. */
export const currentSession = (): Promise<Session> => client.auth.session();

/**
 * For loaders: what a page reads is sessionRead for while its script comes. Does not wait for it; the page
 * shows refusals.
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
  return signInPath(useLocation({ select: (location) => location.href }));
}

/** @param to where the browser is after it */
export const signInPath = (to: string): string => `${pathTo('GET /v1/auth/oidc/start')}?${new URLSearchParams({ redirect_to: to })}`;
