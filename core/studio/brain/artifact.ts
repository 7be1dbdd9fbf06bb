// What was found, kept as it was then.
import type { BrainArtifactOut } from '#contract/studio/company-brain.ts';
import type { BrainArtifact } from '#contract/states.ts';
import type { BrainArtifactsRow } from '#db/tables.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { newestPage } from '../../kernel/keyset.ts';
import type { Page } from '../../kernel/page.ts';
import { requireUser, whereMay } from '../../kernel/policy.ts';
import { storableJson } from '../../kernel/storable.ts';
import { redactValue } from '../../policy/redact.ts';

/** Of one kind. */
const MAX_PER_KIND = 100;

export type StoredArtifact<T> = T & { artifact_id: string; created_at: string };

/**
 * Addresses, numbers of telephones, cards and accounts of persons are taken out. `counts` go into the audit
 * log. Resolves with what was kept.
 */
export async function keepArtifact<T extends object>(
  ctx: TxCtx,
  of: { owner_id: string; kind: BrainArtifact },
  found: T,
  counts: Record<string, number>,
): Promise<StoredArtifact<T>> {
  const [artifact_id, at] = [newId('bar', ctx.clock()), new Date(ctx.clock())];
  // Safe: texts stay texts, and what is no text stays as it is.
  const content = redactValue(found) as T;
  await ctx.db('brain_artifacts').insert({ artifact_id, ...of, content: storableJson(content), created_at: at });
  const beyond = ctx.db('brain_artifacts').where(of).orderBy('created_at', 'desc').orderBy('artifact_id', 'desc').offset(MAX_PER_KIND).select('artifact_id');
  await ctx.db('brain_artifacts').whereIn('artifact_id', beyond).delete();
  await audit(ctx, 'brain.change', { brain_artifact: artifact_id }, { kind: of.kind, ...counts });
  return { artifact_id, created_at: at.toISOString(), ...content };
}

/** Newest first. */
export async function listArtifacts(ctx: Ctx, i: { kind: BrainArtifact; limit: number; cursor?: string | undefined }): Promise<Page<BrainArtifactOut>> {
  requireUser(ctx, 'brain.read');
  const query = ctx
    .db('brain_artifacts as b')
    .where('b.kind', i.kind)
    .where(whereMay(ctx.actor, 'brain.read', { owner: 'b.owner_id' }))
    .select('b.*');
  return newestPage(query, ['b.created_at', 'b.artifact_id'], i, present);
}

const present = ({ artifact_id, kind, content, created_at }: BrainArtifactsRow): BrainArtifactOut => ({
  artifact_id,
  kind,
  // Safe: keepArtifact writes objects.
  content: content as Record<string, unknown>,
  created_at: created_at.toISOString(),
});
