import type { ComplianceExportOut } from '#contract/orgs/compliance.ts';
import { appendEvent } from '../../../jobs/append-event.ts';
import { isTerminal } from '../../../jobs/model.ts';
import { audit } from '../../../kernel/audit.ts';
import { type Ctx, personOf } from '../../../kernel/ctx.ts';
import { Conflict } from '../../../kernel/errors.ts';
import { inTx } from '../../../kernel/tx.ts';
import { cancelWorkflow } from '../../../outbox/messages.ts';
import { organizationFor } from '../../organization/find.ts';
import { workflowOfExport } from './create.ts';
import { exportOf, presentExport } from './read.ts';

/** Asking again changes nothing. @throws NotFound export_not_found; Conflict job_ended */
export async function cancelExport(ctx: Ctx, i: { slug: string; export_id: string }): Promise<ComplianceExportOut> {
  const { organization_id, actor } = await organizationFor(ctx.db, ctx.actor, 'compliance.export', i.slug);
  return inTx({ ...ctx, actor }, async (ctx) => {
    const { job_id } = await exportOf(ctx.db, organization_id, i.export_id);
    const job = await ctx.db('jobs').where({ job_id }).forUpdate().first('state');
    if (!job || isTerminal(job.state)) throw new Conflict('job_ended', `The export has ended already (${job?.state}): there is nothing left to cancel`);
    const again = await ctx.db('job_events').where({ job_id, kind: 'job.cancel_requested' }).first('seq');
    if (!again) {
      await appendEvent(ctx.db, job_id, 'job.cancel_requested', { by: personOf(actor) });
      await cancelWorkflow(ctx, workflowOfExport(i.export_id));
      await audit(ctx, 'job.cancel', { job: job_id }, { kind: 'compliance_export' });
    }
    return presentExport(await exportOf(ctx.db, organization_id, i.export_id));
  });
}
