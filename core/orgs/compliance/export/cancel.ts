import type { ComplianceExportOut } from '#contract/orgs/compliance.ts';
import { appendEvent } from '../../../jobs/append-event.ts';
import { isTerminal } from '../../../jobs/model.ts';
import { act, done, unchanged } from '../../../kernel/act.ts';
import { type Ctx, personOf } from '../../../kernel/ctx.ts';
import { Conflict } from '../../../kernel/errors.ts';
import { cancelWorkflow } from '../../../outbox/messages.ts';
import { organizationNamed } from '../../organization/find.ts';
import { workflowOfExport } from './create.ts';
import { exportOf, presentExport } from './read.ts';

/** Asking again changes nothing. @throws NotFound export_not_found; Conflict job_ended */
export async function cancelExport(ctx: Ctx, i: { slug: string; export_id: string }): Promise<ComplianceExportOut> {
  return act(ctx, 'compliance.export', organizationNamed(i.slug), async (ctx, { organization_id, actor }) => {
    const { job_id } = await exportOf(ctx.db, organization_id, i.export_id);
    const job = await ctx.db('jobs').where({ job_id }).forUpdate().first('state');
    if (!job || isTerminal(job.state)) throw new Conflict('job_ended', `The export has ended already (${job?.state}): there is nothing left to cancel`);
    const again = await ctx.db('job_events').where({ job_id, kind: 'job.cancel_requested' }).first('seq');
    if (again) return unchanged(presentExport(await exportOf(ctx.db, organization_id, i.export_id)));
    await appendEvent(ctx.db, job_id, 'job.cancel_requested', { by: personOf(actor) });
    await cancelWorkflow(ctx, workflowOfExport(i.export_id));
    const shown = presentExport(await exportOf(ctx.db, organization_id, i.export_id));
    return done({ job: job_id }, { kind: 'compliance_export' }, shown, { action: 'job.cancel' });
  });
}
