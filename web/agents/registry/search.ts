// What the addresses of these pages hold.
import { oneIn, present, textIn } from '../../kit/search.ts';

export interface RegistrySearch {
  q?: string;
  tag?: string;
  skill?: string;
  show?: 'mine' | 'installed';
  kind?: string;
  state?: string;
}

export interface TabSearch {
  skill?: string;
  q?: string;
  /** The run that is shown beside the form. */
  run?: string;
  /** A language of snippets. */
  as?: string;
  namespace?: string;
}

export function readRegistrySearch({ q, tag, skill, show, kind, state }: Record<string, unknown>): RegistrySearch {
  return present({
    q: textIn(q),
    tag: textIn(tag),
    skill: textIn(skill),
    show: oneIn(['mine', 'installed'] as const, show),
    kind: textIn(kind),
    state: textIn(state),
  });
}

export function readTrySearch({ skill, q, run, as, namespace }: Record<string, unknown>): TabSearch {
  return present({ skill: textIn(skill), q: textIn(q), run: textIn(run, 64), as: textIn(as), namespace: textIn(namespace) });
}
