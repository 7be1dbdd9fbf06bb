// Who decides about a request for access on a laptop: the same rules as the platform's.
import { AUTO_TTL_SECONDS } from '../../../contract/wire/limits.ts';
import type { WorkspaceAccess, WorkspaceMode } from '../../../contract/wire/card.ts';
import { matcher } from '../../../contract/wire/patterns.ts';

export interface RequestedScope {
  reason: string;
  read: readonly string[];
  writePrefix: string | null;
  mode: WorkspaceMode;
  ttlSeconds: number;
}

/** Names that are never given without asking. A pattern that might match one counts as one that does. */
const SENSITIVE = ['.env*', '*.pem', '*.key', 'id_*', '.npmrc', '.netrc', '.ssh', '.git', 'secrets', 'credentials*'];
const isSensitiveName = matcher(SENSITIVE);

/** In auto mode: at once, or a person; without it, always a person. */
export function decideScope(asked: RequestedScope, policy: WorkspaceAccess, auto: boolean): 'approve' | 'ask' {
  if (!auto || policy.require_human_approval) return 'ask';
  if (asked.writePrefix !== null || asked.mode !== 'read_only') return 'ask';
  if (asked.ttlSeconds > AUTO_TTL_SECONDS) return 'ask';
  return asked.read.every(isHarmless) ? 'approve' : 'ask';
}

function isHarmless(pattern: string): boolean {
  return pattern.split('/').every((segment, index, all) => {
    if (segment === '**') return index < all.length - 1;
    // "*" alone matches .env too; "*.md" does not.
    return !/^[*?]+$/.test(segment) && !isSensitiveName(segment.replaceAll(/[*?]/g, 'x')) && !isSensitiveName(segment.replaceAll(/[*?]/g, ''));
  });
}
