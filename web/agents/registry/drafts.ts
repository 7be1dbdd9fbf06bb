// Arguments that were typed, kept while the page is open: the snippets show them, and "back" brings them
// back. They are not written anywhere.
import { useSyncExternalStore } from 'react';
import { exampleOf } from '#contract/wire/example.ts';
import type { Skill } from './agent-data.ts';

const drafts = new Map<string, unknown>();
const listeners = new Set<() => void>();

const keyOf = (agent: string, skill: string): string => `${agent} ${skill}`;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useDraft(agent: string, skill: string): [value: unknown, set: (value: unknown) => void] {
  const key = keyOf(agent, skill);
  const value = useSyncExternalStore(
    subscribe,
    () => drafts.get(key),
    () => undefined,
  );
  const set = (next: unknown): void => {
    drafts.set(key, next);
    for (const listener of listeners) listener();
  };
  return [value, set];
}

/** What snippets show: what was typed, else an example. */
export function argumentsOf(draft: unknown, skill: Skill): Record<string, unknown> {
  const typed = typeof draft === 'object' && draft !== null && !Array.isArray(draft) && Object.keys(draft).length > 0;
  // Safe: an object of JSON.
  return typed ? (draft as Record<string, unknown>) : exampleOf(skill.input_schema);
}
