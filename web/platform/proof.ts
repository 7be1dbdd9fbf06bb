// That the identity provider still calls the reader an operator, shown a short time ago. A session goes by
// what the identity provider said when it began, which may be two weeks ago; what is grave is not done on
// that.
import { useSyncExternalStore } from 'react';

/** How long it counts, in this tab. */
export const PROOF_MS = 15 * 60_000;
const STORAGE_KEY = 'svc.operator-sign-in';

let provenAt: number | undefined;
const listeners = new Set<() => void>();

export function prove(now: number): void {
  provenAt = now;
  for (const listener of listeners) listener();
}

export function isProven(at: number | undefined, now: number): boolean {
  return at !== undefined && now - at < PROOF_MS;
}

export function useProof(): boolean {
  const at = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => provenAt,
    () => undefined,
  );
  return isProven(at, Date.now());
}

/** Before the browser goes to sign in again: which session it had. */
export function leaving(session: { expires_at: string | null }): void {
  sessionStorage.setItem(STORAGE_KEY, session.expires_at ?? '');
}

/**
 * True where a sign-in that was begun here gave a new session: a session is made only when the identity
 * provider has just answered.
 */
export function isNewSession(before: string | null, now: string | null): boolean {
  return before !== null && now !== null && (before === '' || Date.parse(now) > Date.parse(before));
}

/** Back from signing in again. */
export function cameBack(session: { expires_at: string | null }): void {
  const before = sessionStorage.getItem(STORAGE_KEY);
  if (before === null) return;
  sessionStorage.removeItem(STORAGE_KEY);
  if (isNewSession(before, session.expires_at)) prove(Date.now());
}
