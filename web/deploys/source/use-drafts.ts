import { useEffect } from 'react';
import { useTabState } from '../../kit/tab-state.ts';
import { type Drafts, restore, store } from './drafts.ts';

/** Kept for this tab until they are committed or thrown away. */
export function useDrafts(name: string): [Drafts, (change: (was: Drafts) => Drafts) => void] {
  const key = `svc:source:${name}`;
  const [drafts, setDrafts, known] = useTabState<Drafts>(() => restore(read(key)), {});
  useEffect(() => {
    if (!known) return;
    try {
      const text = store(drafts);
      if (text === undefined) sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, text);
    } catch {
      // A browser that keeps nothing: leaving the page asks all the same.
    }
  }, [known, key, drafts]);
  return [drafts, setDrafts];
}

function read(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}
