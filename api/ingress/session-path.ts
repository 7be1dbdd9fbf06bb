// Paths of sign-in at an agent's own origin, and the `next` by which a browser comes back to where it began.
import { createHash } from 'node:crypto';
import { isLocalPath } from '#contract/wire/local-path.ts';

export const PREFIX = '/.svc/session';
const NEXT_PATH = `${PREFIX}/next`;

export function isSessionPath(path: string): boolean {
  return path === PREFIX || path.startsWith(`${PREFIX}/`);
}

/** Where a browser goes to sign in, and comes back to `next` from. */
export function startPath(next: string): string {
  return `${PREFIX}/start?${new URLSearchParams({ next })}`;
}

/** `nonce` ties it to the browser; `at`: the custom domain where it began. */
export function nextFor(nonce: string, to: string, at: string | undefined): string {
  return `${NEXT_PATH}?${new URLSearchParams({ state: stateOf(nonce), to, ...(at !== undefined && { at }) })}`;
}

export function readNext(next: string): { to: string; state?: string | undefined; at?: string | undefined } {
  if (!next.startsWith(`${NEXT_PATH}?`)) return { to: localPath(next) };
  const query = new URLSearchParams(next.slice(NEXT_PATH.length + 1));
  return { to: localPath(query.get('to')), state: query.get('state') ?? undefined, at: query.get('at') ?? undefined };
}

export function stateOf(nonce: string): string {
  return createHash('sha256').update(nonce).digest('base64url');
}

/** A path of this origin; anything else is the front page: `//host` and `/\host` lead away. */
export function localPath(next: string | null): string {
  if (next === null || !isLocalPath(next)) return '/';
  return isSessionPath(next.split('?')[0] ?? '') ? '/' : next;
}
