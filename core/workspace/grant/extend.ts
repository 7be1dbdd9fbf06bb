// What a scope request leads to once it is approved: a grant that takes the place of the one held and reaches
// further.
import type { WorkspaceMode } from '#contract/wire/card.ts';
import { coveredBy, firstDenied, isPrefixWithin, patternOfPrefix } from '#contract/wire/patterns.ts';
import type { GrantsRow } from '#db/tables.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { bucketOf } from './bucket.ts';
import { chainOf, MAX_CHAIN } from './chain.ts';
import { grantOfRow, tokenOfRow } from './keys.ts';
import { mintGrant } from './mint.ts';
import { draftGrant, nowSeconds, recordGrant, type SignedGrant } from './record.ts';

export interface Extension {
  /** The grant to be superseded; null: the agent's first. */
  parent: GrantsRow | null;
  /** Whose files; the parent's owner when there is a parent. */
  userId: string;
  /** The agent; the parent's audience when there is a parent. */
  audience: string;
  /** Patterns to be read besides what the parent allows. */
  read: readonly string[];
  /** Patterns to be denied besides what the parent denies (the agent's policy). */
  deny?: readonly string[];
  /** A folder to be written into. */
  writePrefix: string | null;
  mode: WorkspaceMode;
  /** Counts from now, not from the parent. */
  ttlSeconds: number;
  runId: string | null;
  waitId?: string | null | undefined;
  reason?: string | null | undefined;
}

/** Made twice for one wait it is the same grant with the same token. */
export async function extendGrant(ctx: TxCtx, i: Extension): Promise<SignedGrant> {
  const made = i.waitId == null ? undefined : await ctx.db('grants').where({ wait_id: i.waitId }).first();
  if (made) return { grant: await grantOfRow(ctx, made), token: await tokenOfRow(ctx, made), row: made };
  const { parent } = i;
  if (!parent) {
    const written = i.writePrefix === null ? [] : [patternOfPrefix(i.writePrefix)];
    const mode = writes(i) ? 'read_write_overlay' : 'read_only';
    return mintGrant(ctx, { ...i, mode, allow: [...i.read, ...written], deny: i.deny ?? [], outputsPrefix: i.writePrefix });
  }
  if (parent.owner_id !== i.userId || parent.audience !== i.audience)
    throw new Conflict('wrong_grant', 'The grant to extend belongs to another agent, or to other files');
  if ((await chainOf(ctx.db, parent.grant_id)).length >= MAX_CHAIN - 8)
    throw new Conflict('too_many_extensions', 'This grant was extended too often: ask for a new one');
  // What is denied stays denied: better said than approved in vain.
  const inVain = firstDenied(i.read, parent.deny_patterns);
  if (inVain !== undefined) throw new Conflict('grant_denies', `The grant to extend denies ${inVain}: only a new grant can allow it`);
  const issuedAt = nowSeconds(ctx);
  const row = draftGrant(ctx, {
    kind: 'extend',
    parent_grant_id: parent.grant_id,
    owner_id: parent.owner_id,
    issuer: i.userId,
    audience: parent.audience,
    bucket: bucketOf(i.userId),
    ...widenedReach(parent, i),
    depth: parent.depth,
    run_id: i.runId,
    wait_id: i.waitId ?? null,
    reason: i.reason ?? null,
    issuedAt,
    expiresAt: issuedAt + i.ttlSeconds,
  });
  const signed = await recordGrant(ctx, row);
  await ctx.db('grants').where({ grant_id: parent.grant_id }).update({ superseded_by: row.grant_id });
  return signed;
}

export type Reach = Pick<GrantsRow, 'mode' | 'allow_patterns' | 'deny_patterns' | 'outputs_prefix'>;

/**
 * A grant has one folder to write into, so not every sum of two is a grant. What was asked for counts, and
 * nothing more: a request to read makes nothing writable, and a folder to write into takes the place of
 * another one (the older grant stays valid for that).
 */
export function widenedReach(parent: Reach, i: Pick<Extension, 'read' | 'deny' | 'writePrefix' | 'mode'>): Reach {
  const deny_patterns = [...new Set([...parent.deny_patterns, ...(i.deny ?? [])])];
  const reads = [...new Set([...parent.allow_patterns, ...i.read])];
  const wrote = parent.mode === 'read_write_overlay';
  const prefix = parent.outputs_prefix;
  if (!writes(i)) {
    const stays = wrote && addsNoWrites(reads, prefix, parent.allow_patterns);
    return { mode: stays ? 'read_write_overlay' : 'read_only', allow_patterns: reads, deny_patterns, outputs_prefix: stays ? prefix : null };
  }
  if (i.writePrefix === null) return { mode: 'read_write_overlay', allow_patterns: reads, deny_patterns, outputs_prefix: null };
  const folder = patternOfPrefix(i.writePrefix);
  const allow_patterns = [...new Set([...reads, folder])];
  const stays = wrote && prefix !== null && isPrefixWithin(i.writePrefix, prefix) && addsNoWrites(reads, prefix, [...parent.allow_patterns, folder]);
  return { mode: 'read_write_overlay', allow_patterns, deny_patterns, outputs_prefix: stays ? prefix : i.writePrefix };
}

/** Whether writing under `prefix` (null: anywhere) within `allow` reaches no further than `writable`. */
function addsNoWrites(allow: readonly string[], prefix: string | null, writable: readonly string[]): boolean {
  return coveredBy(prefix === null ? allow : allow.filter((pattern) => mayReach(pattern, `${prefix}/`)), writable);
}

/** False only where nothing that the pattern matches lies in the folder. */
function mayReach(pattern: string, folder: string): boolean {
  const literal = pattern.slice(0, pattern.search(/[*?]|$/));
  return literal.startsWith(folder) || folder.startsWith(literal);
}

function writes(i: Pick<Extension, 'mode' | 'writePrefix'>): boolean {
  return i.mode === 'read_write_overlay' || i.writePrefix !== null;
}
