// What was typed into a form, kept in this tab until it is sent: an expired session, a reload or a lost
// network does not lose it.
import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { useSession } from '../session/session.ts';

const PREFIX = 'svc.draft ';
const MOST_CHARACTERS = 200_000;

/** Of a form of this page, for who was signed in when it opened. */
export function useDraftName(form: string): string {
  const { user } = useSession();
  const path = useLocation({ select: ({ pathname }) => pathname });
  const [name] = useState(() => `${PREFIX}${user?.user_id ?? ''} ${path} ${form}`);
  return name;
}

export function readDraft(name: string): unknown {
  const text = typeof sessionStorage === 'undefined' ? null : sessionStorage.getItem(name);
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `undefined` and what is too long are not kept. */
export function keepDraft(name: string, value: unknown): void {
  const text = JSON.stringify(value);
  if (text === undefined || text.length > MOST_CHARACTERS) return dropDraft(name);
  try {
    sessionStorage.setItem(name, text);
  } catch {
    // The tab's storage is full, or not allowed: the form still works.
  }
}

export function dropDraft(name: string): void {
  if (typeof sessionStorage !== 'undefined') sessionStorage.removeItem(name);
}

/** Of everyone: whoever signs out leaves nothing in the tab. */
export function dropDrafts(): void {
  for (const name of Object.keys(sessionStorage)) if (name.startsWith(PREFIX)) sessionStorage.removeItem(name);
}
