// What happens to a page when its session ends, or when another tab signs in or out. The dialog is loaded
// with the first end.
import { lazy, Suspense, useEffect } from 'react';
import { noteReached } from '../api/online.ts';
import { onAnswers } from '../api/organization.ts';
import { queries } from '../api/query.ts';
import { setSessionEnded, useSessionEnded } from '../session/ended.ts';
import { currentSession, sessionQuery, useSession } from '../session/session.ts';
import { hearTabs, tellTabs } from '../session/tabs.ts';

const SignInAgain = lazy(async () => ({ default: (await import('./sign-in-again.tsx')).SignInAgain }));

const UNAUTHENTICATED = 401;

export function SessionEnded() {
  const { authenticated, user } = useSession();
  const ended = useSessionEnded();
  const id = user?.user_id ?? null;
  useEffect(() => {
    onAnswers((status) => {
      noteReached(status !== undefined);
      if (status === UNAUTHENTICATED && authenticated) void follow(id, false);
    });
    tellTabs({ user: id, out: false });
    return hearTabs(({ user: other, out }) => {
      if (out || other !== id) void follow(id, out);
      else goOn();
    });
  }, [authenticated, id]);
  return <Suspense>{ended && <SignInAgain />}</Suspense>;
}

/** The session is that of the browser: what another tab did to it, this one shows. */
async function follow(id: string | null, out: boolean): Promise<void> {
  const session = await currentSession();
  const now = session.user?.user_id ?? null;
  if (now === id) return goOn();
  // Without the other's word the session ended: then the page stays, and asks.
  if (now === null && !out) return void setSessionEnded(true);
  location.reload();
}

/** Signed in again as the same person: what failed meanwhile is read again. */
function goOn(): void {
  if (!setSessionEnded(false)) return;
  void queries().invalidateQueries({ queryKey: sessionQuery.queryKey });
  void queries().invalidateQueries({ predicate: ({ state }) => state.status === 'error' });
}
