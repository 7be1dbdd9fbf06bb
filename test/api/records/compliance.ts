// An organization of the person, with an agent of its own, what was decided there, and an export with its
// file.
import { Readable } from 'node:stream';
import { appendReceipt } from '#core/evidence/receipt/sign.ts';
import { createJob } from '#core/jobs/create.ts';
import { transitionJob } from '#core/jobs/transition.ts';
import { newId } from '#core/kernel/ids.ts';
import { inTx } from '#core/kernel/tx.ts';
import { addOrganization } from '#core/orgs/compliance/test/world.ts';
import { storeBlob } from '#core/workspace/blob/store.ts';
import { addAgent, facts } from '../../support/verbs.ts';
import type { AreaRecords, Owner } from './area.ts';

const ROUTES = ['agents', 'putAgent', 'records', 'record', 'export', 'policy', 'putPolicy', 'enforce', 'status'];

export async function complianceRecords(owner: Owner): Promise<AreaRecords> {
  const { ctx, userId } = owner;
  const { id, slug } = await addOrganization(ctx.db, userId);
  const agent = await addAgent(ctx.db, id, { live: true });
  const now = new Date();
  const said = { risk_tier: 'high' as const, intended_purpose: 'Reads invoices', human_oversight: 'Ada stops it', notes: '', version: 1 };
  await ctx.db('compliance_policies').insert({ organization_id: id, frameworks: ['eu_ai_act', 'iso_42001'], retention_days: 200, legal_hold: false, hold_reason: '', version: 1, updated_by: userId, updated_at: now }); // prettier-ignore
  await ctx.db('compliance_profiles').insert({ agent_id: agent.id, organization_id: id, ...said, updated_by: userId, updated_at: now });
  await ctx.db('compliance_profile_log').insert({ agent_id: agent.id, ...said, changed_by: userId, changed_at: now });
  const { receipt_id } = await inTx(ctx, (ctx) => appendReceipt(ctx, facts(agent)));
  const open = await addExport(owner, id, 'open');
  const made = await addExport(owner, id, 'made');
  const slugs = [
    ...ROUTES.map((route) => `compliance.${route}.slug`),
    ...['exports', 'getExport', 'cancelExport', 'exportFile'].map((route) => `compliance.${route}.slug`),
  ];
  return {
    params: {
      ...Object.fromEntries(slugs.map((name) => [name, slug])),
      'compliance.organization': slug,
      'compliance.putAgent.agent_name': agent.name,
      'compliance.record.kind': 'skill_execution',
      'compliance.record.record_id': receipt_id,
      'compliance.getExport.export_id': made,
      'compliance.exportFile.export_id': made,
      'compliance.cancelExport.export_id': open,
    },
    calls: {
      'compliance.putPolicy': { body: { frameworks: ['eu_ai_act'], version: 1 } },
      'compliance.putAgent': { body: { risk_tier: 'minimal', version: 1 } },
      'compliance.enforce': { body: { dry_run: true } },
      'compliance.export': { body: { max_records: 5 } },
    },
  };
}

async function addExport({ ctx, userId }: Owner, organizationId: string, which: 'open' | 'made'): Promise<string> {
  const export_id = newId('cex');
  const job_id = await inTx(ctx, (ctx) => createJob(ctx, { kind: 'compliance_export', title: 'Export', ownerId: organizationId }));
  const now = Date.now();
  const about = { export_id, organization_id: organizationId, job_id, requested_by: userId, from_at: new Date(0), to_at: new Date(now), kinds: ['skill_execution'], max_records: 10 }; // prettier-ignore
  await ctx.db('compliance_exports').insert({ ...about, deadline_at: new Date(now + 600_000), created_at: new Date(now) });
  if (which === 'open') return export_id;
  await transitionJob(ctx.db, job_id, { from: ['queued'], to: 'succeeded' });
  const { sha256, size_bytes } = await storeBlob(ctx, Readable.from([Buffer.from('{"line":"header"}\n')]), 1000);
  await ctx.db('compliance_exports').where({ export_id }).update({ sha256, size_bytes, manifest: 'x.y', counts: '{"records": 1}', expires_at: new Date(now + 86_400_000) }); // prettier-ignore
  return export_id;
}
