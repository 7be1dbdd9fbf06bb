// What the addresses of these pages hold.

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
  /** A language of snippets. */
  as?: string;
  namespace?: string;
}

const LONGEST = 500;

function text(value: unknown): string | undefined {
  const read = typeof value === 'number' ? String(value) : value;
  return typeof read === 'string' && read !== '' && read.length <= LONGEST ? read : undefined;
}

function given<T extends object>(members: T): T {
  // Safe: only members that are undefined, and so optional, are left out.
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}

export function readRegistrySearch({ q, tag, skill, show, kind, state }: Record<string, unknown>): RegistrySearch {
  return given({
    q: text(q),
    tag: text(tag),
    skill: text(skill),
    show: show === 'mine' || show === 'installed' ? show : undefined,
    kind: text(kind),
    state: text(state),
  });
}

export function readTrySearch({ skill, q, as, namespace }: Record<string, unknown>): TabSearch {
  return given({ skill: text(skill), q: text(q), as: text(as), namespace: text(namespace) });
}
