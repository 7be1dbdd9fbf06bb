// What was typed and not sent, per thread, as long as the tab is open.
const keyOf = (threadId: string | null): string => `svc.draft.${threadId ?? 'new'}`;

export function draftOf(threadId: string | null): string {
  try {
    return sessionStorage.getItem(keyOf(threadId)) ?? '';
  } catch {
    // A browser that keeps nothing.
    return '';
  }
}

export function keepDraft(threadId: string | null, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(keyOf(threadId));
    else sessionStorage.setItem(keyOf(threadId), text);
  } catch {
    // Only the page keeps it.
  }
}
