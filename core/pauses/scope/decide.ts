// Decides a request for a wider grant by rules, before a person is asked. Pure.
import { AUTO_TTL_SECONDS } from '#contract/wire/limits.ts';
import type { WorkspaceAccess, WorkspaceMode } from '#contract/wire/card.ts';
import { MAX_PATTERNS } from '#contract/wire/grant.ts';
import { firstDenied, patternOfPrefix } from '#contract/wire/patterns.ts';
import { isSensitive, SENSITIVE } from '#contract/wire/sensitive.ts';

export interface RequestedScope {
  reason: string;
  /** Patterns, or paths. */
  read: readonly string[];
  writePrefix: string | null;
  mode: WorkspaceMode;
  ttlSeconds: number;
  /** Files chosen by search or by name, instead of patterns: the agent's policy must allow that way. */
  negotiated: boolean;
  /** Of the files together, where they are known. */
  totalBytes: number;
}

/** The present grant, and what it denies, which its successor must deny as well; null: none yet. */
export type CurrentGrant = { bucket: string; mode: WorkspaceMode; deny_patterns: readonly string[] } | null;

export interface Who {
  /** The user, and the bucket of their files; null: no user of this platform called. */
  user: { id: string; bucket: string } | null;
  /** The agent is the user's own, and no agent of another stands between them. */
  own: boolean;
}

type DenyCode =
  | 'nobody_to_ask'
  | 'crosses_buckets'
  | 'workspace_disabled'
  | 'mode_not_allowed'
  | 'reason_required'
  | 'too_many_files'
  | 'too_large'
  | 'policy_denies'
  | 'policy_denied'
  | 'grant_denies'
  | 'nothing_asked';

/** `deny`: patterns that the grant must carry, by rule or by a person. */
export type ScopeVerdict = { verdict: 'approve' | 'ask'; deny: readonly string[] } | { verdict: 'deny'; code: DenyCode; reason: string };

export function scopeVerdict(asked: RequestedScope, held: CurrentGrant, policy: WorkspaceAccess, who: Who): ScopeVerdict {
  const refused = refusal(asked, held, policy, who);
  if (refused) return { verdict: 'deny', ...refused };
  const own = policy.enabled ? policy.deny_patterns : [];
  const guarded = [...new Set([...(held?.deny_patterns ?? []), ...own, ...guards(asked)])];
  // A grant cannot carry more patterns than this: a person decides instead.
  if (!mayApprove(asked, policy, who) || guarded.length > MAX_PATTERNS) return { verdict: 'ask', deny: own };
  return { verdict: 'approve', deny: [...own, ...guards(asked)] };
}

interface Refusal {
  code: DenyCode;
  reason: string;
}

function refusal(asked: RequestedScope, held: CurrentGrant, policy: WorkspaceAccess, { user }: Who): Refusal | undefined {
  if (user === null) return { code: 'nobody_to_ask', reason: 'no user of the platform called this run' };
  if (held !== null && held.bucket !== user.bucket) return { code: 'crosses_buckets', reason: "the grant is of another workspace than the caller's" };
  if (!policy.enabled && asked.negotiated) return { code: 'workspace_disabled', reason: "the agent's policy is to touch no workspace" };
  if (asked.read.length === 0 && (asked.negotiated || !writes(asked)))
    return { code: 'nothing_asked', reason: asked.negotiated ? 'no file fits' : 'neither something to read nor to write was asked for' };
  const inVain = held === null ? undefined : firstDenied(wanted(asked), held.deny_patterns);
  // A denied path stays denied in every grant made from this one: no approval is needed.
  if (inVain !== undefined) return { code: 'grant_denies', reason: `the grant that was to be extended denies ${inVain}: only a new grant can allow it` };
  if (!policy.enabled) return undefined;
  if (!allowedModes(policy).includes(modeOf(asked))) return { code: 'mode_not_allowed', reason: `the agent's policy does not allow ${modeOf(asked)}` };
  if (policy.require_reason && asked.reason.trim() === '') return { code: 'reason_required', reason: "the agent's policy requires a reason" };
  if (asked.negotiated && asked.read.length > policy.max_files)
    return { code: 'too_many_files', reason: `the agent's policy allows ${policy.max_files} files` };
  if (asked.totalBytes > policy.max_total_size_bytes)
    return { code: 'too_large', reason: `the agent's policy allows ${policy.max_total_size_bytes} bytes together` };
  const denied = firstDenied(wanted(asked), policy.deny_patterns);
  return denied === undefined ? undefined : { code: 'policy_denies', reason: `the agent's policy denies ${denied}` };
}

function wanted({ read, writePrefix }: RequestedScope): readonly string[] {
  return writePrefix === null ? read : [...read, patternOfPrefix(writePrefix)];
}

function mayApprove(asked: RequestedScope, policy: WorkspaceAccess, { own }: Who): boolean {
  if (!policy.enabled && asked.negotiated) return false;
  if (policy.enabled && policy.require_human_approval) return false;
  return !writes(asked) && asked.ttlSeconds <= AUTO_TTL_SECONDS && own && !asked.read.some(isSensitive);
}

/** A pattern gives no sensitive file that it does not name outright. */
function guards(asked: RequestedScope): readonly string[] {
  return asked.read.some((pattern) => /[*?]/.test(pattern)) ? SENSITIVE : [];
}

function writes(asked: RequestedScope): boolean {
  return modeOf(asked) === 'read_write_overlay';
}

function modeOf({ mode, writePrefix }: RequestedScope): WorkspaceMode {
  return writePrefix === null ? mode : 'read_write_overlay';
}

/** Default: read-only. */
function allowedModes({ allowed_modes }: WorkspaceAccess): readonly WorkspaceMode[] {
  return allowed_modes.length > 0 ? allowed_modes : ['read_only'];
}
