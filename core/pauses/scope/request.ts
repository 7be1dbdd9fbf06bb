// The three ways a run asks for access: wider patterns, files for a purpose, files by name.
import { isPath, MAX_PATTERN_LENGTH } from '#contract/wire/patterns.ts';
import type { FileType, WorkspaceMode } from '#contract/wire/card.ts';
import { GRANT_TTL_SECONDS, MAX_PATTERNS } from '#contract/wire/grant.ts';
import type { FileMatch } from '#contract/run/run-context.ts';
import type { z } from 'zod';
import type { Ctx } from '../../kernel/ctx.ts';
import { Forbidden, Invalid } from '../../kernel/errors.ts';
import { bucketOf } from '../../workspace/grant/bucket.ts';
import { pickFiles } from '../../workspace/search/pick.ts';
import { requireRun } from '../../kernel/ensure-run.ts';
import { cardOfRun } from './card.ts';
import { type Access, grantOfToken, knownAccess, negotiate } from './negotiate.ts';
import { SENSITIVE } from '#contract/wire/sensitive.ts';

interface Common {
  request_id: string;
  grant_token: string | null;
  reason: string;
  mode: WorkspaceMode;
  timeout_seconds: number;
}

/** @throws Forbidden scope_expansion_not_allowed: the skill has not opted in */
export async function requestScope(ctx: Ctx, i: Common & { read: readonly string[]; write_prefix: string | null; ttl_seconds: number }): Promise<Access> {
  const run = requireRun(ctx);
  const card = await cardOfRun(ctx, run);
  const skill = card.skills.find(({ id }) => id === run.skill);
  // A task of the agent-to-agent protocol names its skill only to the agent, which holds to it.
  const optedIn = skill ? skill.policy.allow_scope_expansion : card.skills.some(({ policy }) => policy.allow_scope_expansion);
  if (!optedIn) throw new Forbidden('scope_expansion_not_allowed', `${run.skill} has not declared allow_scope_expansion`);
  return (
    (await knownAccess(ctx, i.request_id)) ??
    negotiate(ctx, {
      requestId: i.request_id,
      card,
      held: await grantOfToken(ctx, i.grant_token),
      reason: i.reason,
      read: i.read,
      writePrefix: i.write_prefix,
      mode: i.mode,
      ttlSeconds: i.ttl_seconds,
      timeoutSeconds: i.timeout_seconds,
      files: null,
    })
  );
}

export interface OpenViewIn extends Common {
  purpose: string;
  hints: readonly string[];
  file_types: readonly FileType[];
  max_files: number;
}

/** The platform chooses the files; it never chooses one that looks like a secret. */
export async function openView(ctx: Ctx, i: OpenViewIn): Promise<Access> {
  const run = requireRun(ctx);
  const known = await knownAccess(ctx, i.request_id);
  if (known) return known;
  const card = await cardOfRun(ctx, run);
  const policy = card.workspace_access;
  const verifiedGrant = await grantOfToken(ctx, i.grant_token);
  const maxFiles = Math.min(i.max_files, policy.max_files, MAX_PATTERNS);
  const picked =
    run.user_id === null || !policy.enabled || maxFiles === 0
      ? []
      : await pickFiles(ctx, {
          bucket: bucketOf(run.user_id),
          allow: ['**'],
          deny: [...policy.deny_patterns, ...SENSITIVE],
          purpose: i.purpose,
          hints: i.hints,
          fileTypes: i.file_types,
          maxFiles,
          maxTotalBytes: policy.max_total_size_bytes,
        });
  const files = picked.filter(({ path }) => path.length <= MAX_PATTERN_LENGTH);
  return negotiate(ctx, { ...common(i), card, held: verifiedGrant, reason: i.reason || i.purpose, read: files.map(({ path }) => path), files });
}

export async function requestAccess(ctx: Ctx, i: Common & { files: readonly string[]; purpose: string }): Promise<Access> {
  const run = requireRun(ctx);
  const known = await knownAccess(ctx, i.request_id);
  if (known) return known;
  const wrong = i.files.findIndex((path) => !isPath(path) || path.length > MAX_PATTERN_LENGTH);
  if (wrong !== -1) throw new Invalid([{ path: ['body', 'files', wrong], message: `is not a path of at most ${MAX_PATTERN_LENGTH} characters` }]);
  const [card, held] = await Promise.all([cardOfRun(ctx, run), grantOfToken(ctx, i.grant_token)]);
  const read = [...new Set(i.files)];
  const files = run.user_id === null ? [] : await described(ctx, bucketOf(run.user_id), read);
  return negotiate(ctx, { ...common(i), card, held, reason: i.reason, read, files });
}

function common(i: Common) {
  return {
    requestId: i.request_id,
    writePrefix: null,
    mode: i.mode,
    ttlSeconds: GRANT_TTL_SECONDS,
    timeoutSeconds: i.timeout_seconds,
  };
}

/** Those of them that are there. */
async function described(ctx: Ctx, bucket: string, paths: readonly string[]): Promise<z.infer<typeof FileMatch>[]> {
  const rows = await ctx.db('files').where({ bucket }).whereIn('path', paths).orderBy('path').select('path', 'file_type', 'size_bytes');
  return rows.map(({ path, file_type, size_bytes }) => ({ path, file_type: asFileType(file_type), score: 1, summary: null, size_bytes }));
}

// Safe: the column is written from this enumeration only.
function asFileType(word: string): FileType {
  return word as FileType;
}
