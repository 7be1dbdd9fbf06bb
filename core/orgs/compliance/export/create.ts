import type { ComplianceExportIn, ComplianceExportOut } from '#contract/orgs/compliance.ts';
import { EXPORT_SECONDS, MAX_OPEN_EXPORTS } from '#contract/orgs/compliance-limits.ts';
import { beginWork } from '../../../jobs/long-work.ts';
import { openStates } from '../../../jobs/model.ts';
import { act, done } from '../../../kernel/act.ts';
import { type Ctx, personOf } from '../../../kernel/ctx.ts';
import { Conflict } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { lockName } from '../../../kernel/lock-name.ts';
import { organizationNamed } from '../../organization/find.ts';
import { exportOf, exportRows, presentExport } from './read.ts';

export const workflowOfExport = (exportId: string): string => `compliance-export:${exportId}`;

/** @throws Conflict too_many_exports */
export async function createExport(ctx: Ctx, { slug, ...i }: ComplianceExportIn & { slug: string }): Promise<ComplianceExportOut> {
  return act(ctx, 'compliance.export', organizationNamed(slug), async (ctx, { organization_id, actor }) => {
    await lockName(ctx.db, `compliance-exports/${organization_id}`);
    const open = await exportRows(ctx.db, organization_id).whereIn('j.state', openStates);
    if (open.length >= MAX_OPEN_EXPORTS)
      throw new Conflict('too_many_exports', `${MAX_OPEN_EXPORTS} exports are under way: wait for one to end, or cancel one`);
    const now = ctx.clock();
    const export_id = newId('cex', now);
    const to = i.to === undefined ? new Date(now) : new Date(i.to);
    const input = { export_id, from: i.from ?? null, to: to.toISOString(), kinds: i.kinds, max_records: i.max_records };
    const deadline = now + EXPORT_SECONDS * 1000;
    const job_id = await beginWork(ctx, {
      kind: 'compliance_export',
      title: `Export decision records of ${slug}`,
      ownerId: organization_id,
      workflowId: workflowOfExport(export_id),
      workflow: { type: 'complianceExport', input: () => ({ export_id, deadline_at: deadline }) },
      input,
    });
    await ctx.db('compliance_exports').insert({
      export_id,
      organization_id,
      job_id,
      requested_by: personOf(actor),
      from_at: new Date(i.from ?? 0),
      to_at: to,
      kinds: i.kinds,
      max_records: i.max_records,
      deadline_at: new Date(deadline),
      created_at: new Date(now),
    });
    return done({ organization: organization_id }, input, presentExport(await exportOf(ctx.db, organization_id, export_id)));
  });
}
