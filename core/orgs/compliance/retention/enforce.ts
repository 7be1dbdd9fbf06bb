// Removing old contents begins: by a person, or by the night.
import type { CompliancePurgeOut } from '#contract/orgs/compliance.ts';
import { beginWork } from '../../../jobs/long-work.ts';
import { openStates } from '../../../jobs/model.ts';
import { act, recorded, system, unchanged } from '../../../kernel/act.ts';
import { audit } from '../../../kernel/audit.ts';
import { type Ctx, personOf, type TxCtx } from '../../../kernel/ctx.ts';
import { Conflict } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { inOrder } from '../../../kernel/in-order.ts';
import { organizationFor, organizationNamed } from '../../organization/find.ts';
import { effectiveDays } from '../policy/read.ts';
import { presentPurge, purgeRows } from './read.ts';
import { countContents } from './steps.ts';

const DAY_MS = 86_400_000;
/** A night is over when the next begins: a pass a little early is the night's all the same. */
const NIGHT_MS = 23 * 3_600_000;
const A_PAGE = 50;

/** One that is under way is the answer to who asks again. @throws Conflict retention_not_set, legal_hold */
export async function enforceRetention(ctx: Ctx, i: { slug: string; dry_run: boolean }): Promise<CompliancePurgeOut> {
  if (i.dry_run) return countOnly(ctx, await organizationFor(ctx.db, ctx.actor, 'compliance.enforce', i.slug));
  return act(ctx, 'compliance.enforce', organizationNamed(i.slug), async (ctx, { organization_id, slug, actor }) => {
    const before = await requireEnforceable(ctx, { organization_id, slug });
    const [open] = await purgeRows(ctx.db).where('c.organization_id', organization_id).whereIn('j.state', openStates);
    if (open) return unchanged(await presentPurge(ctx.db, open));
    const made = await begin(ctx, { organization_id, before, requested_by: personOf(actor) });
    return recorded(await presentPurge(ctx.db, made));
  });
}

async function countOnly(ctx: Ctx, of: { organization_id: string; slug: string }): Promise<CompliancePurgeOut> {
  const before = await requireEnforceable(ctx, of);
  const counts = await countContents(ctx.db, { organization: of.organization_id, before });
  const none = { purge_id: null, job_id: null, state: null, requested_by: null, error: null, created_at: null };
  return { ...none, dry_run: true, before: before.toISOString(), counts };
}

/** The time before which contents go. Holds the policy while the transaction lasts. */
async function requireEnforceable(ctx: Ctx, { organization_id, slug }: { organization_id: string; slug: string }): Promise<Date> {
  const policy = await ctx.db('compliance_policies').where({ organization_id }).forUpdate().first();
  if (!policy) throw new Conflict('retention_not_set', `${slug} has saved no policy that says how long contents are kept: save one first`);
  if (policy.legal_hold) throw new Conflict('legal_hold', `${slug} has a legal hold: end it in the policy before something is removed`, { slug });
  return new Date(ctx.clock() - effectiveDays(policy) * DAY_MS);
}

async function begin(
  ctx: TxCtx,
  of: { organization_id: string; before: Date; requested_by: string | null },
): Promise<Awaited<ReturnType<typeof purgeRows>>[number]> {
  // prettier-ignore
  const { organization_id, before, requested_by } = of;
  const now = ctx.clock();
  const purge_id = newId('cpg', now);
  const input = { purge_id, before: before.toISOString() };
  const job_id = await beginWork(ctx, {
    kind: 'compliance_purge',
    title: 'Remove contents that are older than they are kept',
    ownerId: organization_id,
    workflowId: `compliance-purge:${purge_id}`,
    workflow: { type: 'complianceRetention', input: () => ({ purge_id }) },
    input,
  });
  await ctx.db('compliance_purges').insert({ purge_id, organization_id, job_id, requested_by, before, created_at: new Date(now) });
  await audit(ctx, 'compliance.enforce', { organization: organization_id }, { ...input, by_night: requested_by === null });
  const [row] = await purgeRows(ctx.db).where('c.purge_id', purge_id);
  if (!row) throw new Error(`the removal ${purge_id} was not stored`);
  return row;
}

/** Organizations that have a policy and no hold, and for which nothing was begun since the last night. */
export async function enforceNightly(ctx: Ctx): Promise<void> {
  const { db } = ctx;
  const begun = db('compliance_purges as c')
    .whereRaw('c.organization_id = p.organization_id')
    .where('c.created_at', '>', new Date(ctx.clock() - NIGHT_MS));
  const due = (after: string) =>
    db('compliance_policies as p')
      .where({ 'p.legal_hold': false })
      .whereNotExists(begun.clone().select(db.raw('1')))
      .where('p.organization_id', '>', after)
      .orderBy('p.organization_id')
      .limit(A_PAGE)
      .select('p.organization_id');
  for await (const { organization_id } of inOrder((one) => one.organization_id, due)) await nightOf(ctx, organization_id);
}

async function nightOf(ctx: Ctx, organization_id: string): Promise<void> {
  // The organization's policy asks for it.
  await system(ctx, async (ctx) => {
    // Two workers: the second finds what the first began.
    const policy = await ctx.db('compliance_policies').where({ organization_id, legal_hold: false }).forUpdate().first();
    const since = new Date(ctx.clock() - NIGHT_MS);
    const begun = await ctx.db('compliance_purges').where({ organization_id }).where('created_at', '>', since).first('purge_id');
    if (!policy || begun) return;
    await begin(ctx, { organization_id, before: new Date(ctx.clock() - effectiveDays(policy) * DAY_MS), requested_by: null });
  });
}
