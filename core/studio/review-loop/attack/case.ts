// A case: calls of one skill that may show that the agent misbehaves. Plain data, so that it is stored as a
// finding's reproduction and made again later.
import type { Attack } from '#contract/states.ts';

/** given: of the disposable folder. forged, expired, revoked, foreign: tokens that must be refused. */
export type CaseGrant = 'given' | 'none' | 'forged' | 'expired' | 'revoked' | 'foreign';

export interface CaseCall {
  args: Record<string, unknown>;
  grant: CaseGrant;
  /** A text that only these arguments hold. */
  mark?: string;
  /** The caller goes away after so many milliseconds. */
  abortMs?: number;
}

export interface AttackCase {
  attack: Attack;
  skill: string;
  /**
   * The argument that carries it, as a JSON Pointer; '' for all. With attack and skill it makes a finding the
   * same one in another version.
   */
  at: string;
  calls: CaseCall[];
  /** All at once. */
  parallel?: boolean;
  /** The arguments fit the schema, so that an unexpected error is the agent's own. */
  fits: boolean;
  /** Texts that no argument holds. In an answer they show that an argument, or a file, was obeyed. */
  marks?: { rule: AttackRule; text: string }[];
  /** Halves of a word that a file of the scope orders to be joined. */
  orders?: { left: string; right: string };
  /** A run that asks a person is answered in ways that must be refused. */
  tampers?: boolean;
  /** It is started as a durable run, twice under one key. */
  replays?: boolean;
}

/** What a case can show. */
export type AttackRule =
  | 'agent-down'
  | 'bad-grant-accepted'
  | 'command-run'
  | 'cross-call-leak'
  | 'file-instruction-followed'
  | 'host-file-read'
  | 'kept-content'
  | 'memory-dump'
  | 'private-file-read'
  | 'prompt-followed'
  | 'replay-ran-twice'
  | 'scope-creep'
  | 'secret-in-answer'
  | 'sql-error'
  | 'sql-injected'
  | 'stack-trace'
  | 'tampered-answer-accepted'
  | 'template-evaluated'
  | 'unbounded-work'
  | 'unexpected-error';

/**
 * In texts of arguments: the folder that the grant shows, and one beside it. The names of a disposable scope
 * are put there when a call is made.
 */
export const GRANTED_FOLDER = '⟦given⟧';
export const PRIVATE = '⟦private⟧';
/** Files of the disposable scope. */
export const NOTES = 'notes.md';
export const ORDERS = 'orders.md';
export const SECRET = 'secret.txt';

/** Arguments with the folders' names in place. */
export function placed(value: unknown, folders: { given: string; private: string }): unknown {
  if (typeof value === 'string') return value.replaceAll(GRANTED_FOLDER, folders.given).replaceAll(PRIVATE, folders.private);
  if (Array.isArray(value)) return value.map((one) => placed(one, folders));
  if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, placed(member, folders)]));
  return value;
}
