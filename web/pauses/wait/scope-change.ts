// What a scope request would change: each right as it is held now and as it would be.
import { duration } from '../../kit/time.ts';

interface Reach {
  allow_patterns: string[];
  mode: string;
  outputs_prefix: string | null;
}

export interface ScopeRequest {
  reason: string;
  /** Null: nothing is held now. */
  old: Reach | null;
  requested: { read: string[]; write_prefix: string | null; mode: string; ttl_seconds: number };
}

export interface Change {
  right: string;
  now: string[];
  /** `isNew`: not held now. */
  would: { text: string; isNew: boolean }[];
}

/** Undefined: it is not written as scope requests are, so there is nothing to decide by. */
export function scopeRequestOf(request: Record<string, unknown> | undefined): ScopeRequest | undefined {
  const requested = objectOf(request?.['requested']);
  if (!request || !requested || typeof requested['ttl_seconds'] !== 'number') return undefined;
  const old = objectOf(request['old']);
  return {
    reason: textOf(request['reason']) ?? '',
    old: old ? { allow_patterns: textsOf(old['allow_patterns']), mode: textOf(old['mode']) ?? '', outputs_prefix: textOf(old['outputs_prefix']) } : null,
    requested: {
      read: textsOf(requested['read']),
      write_prefix: textOf(requested['write_prefix']),
      mode: textOf(requested['mode']) ?? '',
      ttl_seconds: requested['ttl_seconds'],
    },
  };
}

export function changesOf({ old, requested }: ScopeRequest): Change[] {
  const currentPatterns = new Set(old?.allow_patterns);
  const read = requested.read.map((text) => ({ text, isNew: !currentPatterns.has(text) }));
  const remaining = [...currentPatterns].filter((text) => !requested.read.includes(text)).map((text) => ({ text, isNew: false }));
  const mode = modeText(requested.mode);
  return [
    { right: 'Files it may read', now: old?.allow_patterns ?? [], would: [...remaining, ...read] },
    { right: 'What it may do', now: old ? [modeText(old.mode)] : [], would: [{ text: mode, isNew: old === null || modeText(old.mode) !== mode }] },
    { right: 'Where it may write', now: old ? writable(old.mode, old.outputs_prefix) : [], would: writeThen(old, requested) },
    {
      right: 'For how long',
      now: old ? ['as the grant it has'] : [],
      would: [{ text: `${duration(requested.ttl_seconds * 1000)} from the approval`, isNew: true }],
    },
  ];
}

function writeThen(old: Reach | null, { mode, write_prefix: prefix }: ScopeRequest['requested']): Change['would'] {
  const before = old ? writable(old.mode, old.outputs_prefix) : [];
  return writable(mode, prefix).map((text) => ({ text, isNew: !before.includes(text) }));
}

/** Without a folder, everything it may then read becomes writable. */
// words: shown
function writable(mode: string, prefix: string | null): string[] {
  if (mode === 'read_only') return ['nowhere'];
  return [prefix === null ? 'everywhere it may read then' : `below ${prefix}`];
}

// words: shown
function modeText(mode: string): string {
  return { read_only: 'read', read_write_overlay: 'read, and stage changes that take effect when the run succeeds' }[mode] ?? mode;
}

const objectOf = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []);
