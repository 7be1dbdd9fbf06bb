// Who decides about a request for access on a laptop: the same rules as the platform's.
import { AUTO_TTL_SECONDS } from '../../../contract/wire/limits.ts';
import type { WorkspaceAccess, WorkspaceMode } from '../../../contract/wire/card.ts';
import { isSensitive } from '../../../contract/wire/sensitive.ts';

export interface RequestedScope {
  reason: string;
  read: readonly string[];
  writePrefix: string | null;
  mode: WorkspaceMode;
  ttlSeconds: number;
}

/** In auto mode: at once, or a person; without it, always a person. */
export function decideScope(asked: RequestedScope, policy: WorkspaceAccess, auto: boolean): 'approve' | 'ask' {
  if (!auto || policy.require_human_approval) return 'ask';
  if (asked.writePrefix !== null || asked.mode !== 'read_only') return 'ask';
  if (asked.ttlSeconds > AUTO_TTL_SECONDS) return 'ask';
  return asked.read.every(isHarmless) ? 'approve' : 'ask';
}

function isHarmless(pattern: string): boolean {
  if (isSensitive(pattern) || isSensitive(`${pattern}/x`) || isSensitive(pattern.replaceAll(/[*?]/g, ''))) return false;
  // "*" as a whole segment matches .env too; "*.md" does not.
  return pattern.split('/').every((segment, index, all) => (segment === '**' ? index < all.length - 1 : !/^[*?]+$/.test(segment)));
}
