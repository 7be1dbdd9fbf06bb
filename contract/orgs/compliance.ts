// What an organization can show of its agents: what was decided and by whom, how risky each agent is, what is
// kept and for how long.
import { z } from 'zod';
import {
  COMPLIANCE_FRAMEWORKS,
  CONTROL_STATES,
  DECISION_KINDS,
  DECISION_OUTCOMES,
  JOB_STATES,
  RISK_TIERS,
  SIGNATURE_STATUSES,
  VISIBILITIES,
} from '../states.ts';
import { group, svcGroup } from '../kit.ts';
import { Fault, Instant, nextCursor, pageQuery } from '../shared.ts';
import { AgentSlug } from '../wire/names.ts';
import { OrganizationParams } from './organizations.ts';
import { DEFAULT_EXPORT_RECORDS, DEFAULT_RETENTION_DAYS, EU_RETENTION_DAYS, EXPORT_DAYS, MAX_EXPORT_RECORDS, MAX_RETENTION_DAYS } from './compliance-limits.ts';

const Frameworks = z.array(z.enum(COMPLIANCE_FRAMEWORKS)).max(COMPLIANCE_FRAMEWORKS.length);
const version = z.int().min(0).max(2_147_483_647);

export const CompliancePolicyIn = z
  .strictObject({
    frameworks: Frameworks.refine((all) => new Set(all).size === all.length, 'a framework is named twice: name each once'),
    retention_days: z
      .int()
      .min(1)
      .max(MAX_RETENTION_DAYS)
      .default(DEFAULT_RETENTION_DAYS)
      .meta({ description: `Days that contents are kept. While eu_ai_act is on: ${EU_RETENTION_DAYS} at least.` }),
    legal_hold: z
      .boolean()
      .default(false)
      .meta({ description: 'While it is set, the platform removes no data of the organization, and no account whose calls it stores.' }),
    hold_reason: z.string().trim().max(500).default(''),
    version: version.meta({ description: 'The version last read: the write is refused when the policy has another version by now. 0: there was none.' }),
  })
  .refine(({ frameworks, retention_days: days }) => !frameworks.includes('eu_ai_act') || days >= EU_RETENTION_DAYS, {
    path: ['retention_days'],
    message: `the EU AI Act asks for six months: keep contents for ${EU_RETENTION_DAYS} days at least, or take the framework out`,
  })
  .meta({ id: 'CompliancePolicyIn', examples: [{ frameworks: ['eu_ai_act'], retention_days: 3_650, version: 1 }] });
export type CompliancePolicyIn = z.output<typeof CompliancePolicyIn>;

export const CompliancePolicyOut = z
  .strictObject({
    frameworks: z.array(z.enum(COMPLIANCE_FRAMEWORKS)),
    retention_days: z.int(),
    legal_hold: z.boolean(),
    hold_reason: z.string(),
    version: version.meta({ description: '0: none was saved. The defaults are shown, and nothing is removed by them.' }),
    updated_by: z.string().nullable().meta({ description: 'Id of the account.' }),
    updated_at: Instant.nullable(),
  })
  .meta({ id: 'CompliancePolicyOut' });
export type CompliancePolicyOut = z.infer<typeof CompliancePolicyOut>;

const ProfileFields = {
  risk_tier: z
    .enum(RISK_TIERS)
    .meta({ description: 'unacceptable: the agent is taken out of the catalog, and is not published or deployed until its tier is another.' }),
  intended_purpose: z.string().trim().max(2000),
  human_oversight: z.string().trim().max(2000).meta({ description: 'Who oversees the agent, and how they stop it. A high tier needs it.' }),
  notes: z.string().trim().max(4000),
};

export const AgentProfileIn = z
  .strictObject({
    risk_tier: ProfileFields.risk_tier,
    intended_purpose: ProfileFields.intended_purpose.default(''),
    human_oversight: ProfileFields.human_oversight.default(''),
    notes: ProfileFields.notes.default(''),
    version: version.meta({ description: 'The version last read; 0: there was none.' }),
  })
  .refine(({ risk_tier, human_oversight }) => risk_tier !== 'high' || human_oversight !== '', {
    path: ['human_oversight'],
    message: 'an agent of high risk needs somebody who oversees it: say who, and how they stop it',
  })
  .meta({ id: 'ComplianceAgentIn', examples: [{ risk_tier: 'high', human_oversight: 'The duty officer stops it in the dashboard.', version: 1 }] });
export type AgentProfileIn = z.output<typeof AgentProfileIn>;

const ProfileVersion = z
  .strictObject({ ...ProfileFields, version: z.int(), changed_by: z.string().nullable(), changed_at: Instant })
  .meta({ id: 'ComplianceProfileVersion' });

export const AgentProfileOut = z
  .strictObject({
    agent: z.string(),
    visibility: z.enum(VISIBILITIES),
    live: z.boolean(),
    deleted: z.boolean(),
    ...ProfileFields,
    version,
    updated_by: z.string().nullable(),
    updated_at: Instant.nullable(),
    gaps: z.array(z.string()).meta({ description: 'What is missing for its tier, a sentence each.' }),
    history: z.array(ProfileVersion).meta({ description: 'Its versions, newest first, the last 50.' }),
  })
  .meta({ id: 'ComplianceAgentOut' });
export type AgentProfileOut = z.infer<typeof AgentProfileOut>;

const DecisionActor = z
  .strictObject({ kind: z.string().meta({ description: 'user, run, api_token, platform …' }), id: z.string().nullable() })
  .meta({ id: 'DecisionActor' });

const record = {
  record_id: z.string(),
  kind: z.enum(DECISION_KINDS),
  recorded_at: Instant.meta({ description: 'When the platform wrote it down. Lists go by it.' }),
  occurred_at: Instant.meta({ description: 'When it ended.' }),
  agent: z.string().nullable(),
  actor: DecisionActor.meta({ description: 'The caller, the requester or the author of the change.' }),
  action: z.string().meta({ description: 'The skill, the action that was decided over, or what was changed.' }),
  outcome: z.enum(DECISION_OUTCOMES),
  verifiable: z.boolean().meta({ description: 'There is a signature of it.' }),
  details: z.record(z.string(), z.unknown()).meta({ description: 'Facts and hashes; never contents.' }),
};
export const DecisionRecordOut = z.strictObject(record).meta({ id: 'DecisionRecordOut' });
export type DecisionRecordOut = z.infer<typeof DecisionRecordOut>;

export const DecisionRecordDetail = z
  .strictObject({
    ...record,
    token: z.string().nullable().meta({ description: 'The signed receipt; null where there is none.' }),
    signature_status: z.enum(SIGNATURE_STATUSES).meta({ description: 'Verified as this was answered.' }),
    signature_problem: z.string().nullable(),
  })
  .meta({ id: 'DecisionRecordDetail' });
export type DecisionRecordDetail = z.infer<typeof DecisionRecordDetail>;

const range = {
  from: z.iso.datetime({ offset: true }).optional().meta({ description: 'Recorded at this time or later.' }),
  to: z.iso.datetime({ offset: true }).optional().meta({ description: 'Recorded before this time.' }),
};

export const RecordsQuery = pageQuery(50, 200).extend({
  kind: z.enum(DECISION_KINDS).optional(),
  agent: AgentSlug.optional(),
  outcome: z.enum(DECISION_OUTCOMES).optional(),
  ...range,
});

export const ComplianceExportIn = z
  .strictObject({
    ...range,
    kinds: z
      .array(z.enum(DECISION_KINDS))
      .min(1)
      .max(DECISION_KINDS.length)
      .default([...DECISION_KINDS]),
    max_records: z.int().min(1).max(MAX_EXPORT_RECORDS).default(DEFAULT_EXPORT_RECORDS).meta({ description: 'The newest of the range.' }),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || Date.parse(from) < Date.parse(to), { path: ['to'], message: 'must be after from' })
  .meta({ id: 'ComplianceExportIn', examples: [{ from: '2026-10-01T00:00:00Z', to: '2026-11-01T00:00:00Z' }] });
export type ComplianceExportIn = z.output<typeof ComplianceExportIn>;

const Counts = z.record(z.string(), z.int().min(0));

export const ComplianceExportOut = z
  .strictObject({
    export_id: z.string(),
    job_id: z.string(),
    state: z.enum(JOB_STATES),
    requested_by: z.string().nullable().meta({ description: 'null: the account was purged.' }),
    from: Instant,
    to: Instant,
    kinds: z.array(z.enum(DECISION_KINDS)),
    max_records: z.int(),
    counts: Counts.nullable().meta({ description: 'Records by kind and by signature, once the file is made.' }),
    sha256: z.string().nullable().meta({ description: 'Hash of the file.' }),
    size_bytes: z.int().nullable(),
    manifest: z.string().nullable().meta({ description: 'The signed manifest: the last line of the file.' }),
    error: Fault.nullable(),
    created_at: Instant,
    expires_at: Instant.nullable().meta({ description: 'The file is kept until then.' }),
  })
  .meta({ id: 'ComplianceExportOut' });
export type ComplianceExportOut = z.infer<typeof ComplianceExportOut>;

const RetentionIn = z
  .strictObject({ dry_run: z.boolean().default(false).meta({ description: 'Only count what would go.' }) })
  .meta({ id: 'ComplianceRetentionIn' });

export const CompliancePurgeOut = z
  .strictObject({
    purge_id: z.string().nullable().meta({ description: 'null: nothing was started.' }),
    job_id: z.string().nullable(),
    state: z.enum(JOB_STATES).nullable(),
    dry_run: z.boolean(),
    before: Instant.meta({ description: 'Contents of what ended before this time go.' }),
    counts: Counts.meta({ description: 'Rows by table that were removed, or would be. A dry run counts 10,000 of each at most.' }),
    requested_by: z.string().nullable().meta({ description: 'null: the night, or the account was purged.' }),
    error: Fault.nullable(),
    created_at: Instant.nullable(),
  })
  .meta({ id: 'CompliancePurgeOut' });
export type CompliancePurgeOut = z.infer<typeof CompliancePurgeOut>;

const EvidenceOut = z
  .strictObject({
    name: z.string(),
    title: z.string(),
    state: z.enum(CONTROL_STATES),
    reason: z.string(),
    link: z.string().nullable().meta({ description: 'Page of the dashboard that shows it.' }),
    next_action: z.string().nullable(),
  })
  .meta({ id: 'ComplianceEvidence' });
export type EvidenceOut = z.infer<typeof EvidenceOut>;

const ControlOut = z
  .strictObject({
    control_id: z.string(),
    reference: z.string().meta({ description: 'Where the framework has it.' }),
    title: z.string(),
    state: z.enum(CONTROL_STATES),
    reason: z.string(),
    evidence: z.array(z.string()).meta({ description: 'Names of the evidence that proves it.' }),
  })
  .meta({ id: 'ComplianceControl' });
export type ControlOut = z.infer<typeof ControlOut>;

export const ComplianceStatusOut = z
  .strictObject({
    policy: CompliancePolicyOut,
    frameworks: z.array(
      z
        .strictObject({
          framework: z.enum(COMPLIANCE_FRAMEWORKS),
          title: z.string(),
          counts: z.strictObject({ met: z.int(), partly: z.int(), not_met: z.int(), not_applicable: z.int() }).meta({ id: 'ComplianceCounts' }),
          controls: z.array(ControlOut),
        })
        .meta({ id: 'ComplianceFrameworkOut' }),
    ),
    evidence: z.array(EvidenceOut),
    next_actions: z.array(z.string()).meta({ description: 'What to do, what closes most gaps first.' }),
    last_purge: CompliancePurgeOut.nullable(),
    last_export: ComplianceExportOut.nullable(),
    checked_at: Instant,
  })
  .meta({ id: 'ComplianceStatusOut' });
export type ComplianceStatusOut = z.infer<typeof ComplianceStatusOut>;

const ExportParams = OrganizationParams.extend({ export_id: z.string().regex(/^cex_[0-9a-f-]{36}$/, 'is not the id of an export') });

export const compliance = group({
  agents: {
    at: 'GET /v1/me/organizations/{slug}/compliance/agents',
    summary: 'The agents of the organization with their risk profiles, by name',
    scope: 'account',
    params: OrganizationParams,
    query: pageQuery(50, 200, ['m']),
    out: z.strictObject({ items: z.array(AgentProfileOut), next_cursor: nextCursor }).meta({ id: 'ComplianceAgentsOut' }),
    errors: [400, 401, 403, 404],
  },
  putAgent: {
    at: 'PUT /v1/me/organizations/{slug}/compliance/agents/{agent_name}',
    summary: 'Set the risk of an agent, its purpose and who oversees it; owners and admins only',
    scope: 'account',
    params: OrganizationParams.extend({ agent_name: AgentSlug }),
    body: AgentProfileIn,
    out: AgentProfileOut,
    errors: [401, 403, 404, 409],
  },
  records: {
    at: 'GET /v1/me/organizations/{slug}/compliance/decision-records',
    summary: 'List decision records, newest first: calls of agents, authorizations, changes by people',
    scope: 'account',
    params: OrganizationParams,
    query: RecordsQuery,
    out: z.strictObject({ items: z.array(DecisionRecordOut), next_cursor: nextCursor }).meta({ id: 'DecisionRecordsOut' }),
    errors: [400, 401, 403, 404],
  },
  record: {
    at: 'GET /v1/me/organizations/{slug}/compliance/decision-records/{kind}/{record_id}',
    summary: 'One decision with its signed receipt, verified now',
    scope: 'account',
    params: OrganizationParams.extend({ kind: z.enum(DECISION_KINDS), record_id: z.string().regex(/^[a-z]{3,4}_[0-9a-f-]{36}$/, 'is not the id of a record') }),
    out: DecisionRecordDetail,
    errors: [401, 403, 404],
  },
  export: {
    at: 'POST /v1/me/organizations/{slug}/compliance/export',
    summary: 'Make a file of decision records with the state of every control, which can be checked without the platform',
    description: `A job makes it. The file is kept for ${EXPORT_DAYS} days.`,
    scope: 'account',
    params: OrganizationParams,
    body: ComplianceExportIn,
    out: ComplianceExportOut,
    status: 202,
    errors: [401, 403, 404, 409, 429],
    limit: 'create',
  },
  policy: {
    at: 'GET /v1/me/organizations/{slug}/compliance/policy',
    summary: 'Read the compliance policy: frameworks, retention of contents, legal hold',
    scope: 'account',
    params: OrganizationParams,
    out: CompliancePolicyOut,
    errors: [401, 403, 404],
  },
  putPolicy: {
    at: 'PUT /v1/me/organizations/{slug}/compliance/policy',
    summary: 'Replace the policy; owners and admins only',
    scope: 'account',
    params: OrganizationParams,
    body: CompliancePolicyIn,
    out: CompliancePolicyOut,
    errors: [401, 403, 404, 409],
  },
  enforce: {
    at: 'POST /v1/me/organizations/{slug}/compliance/retention/enforce',
    summary: 'Remove contents that are older than the policy keeps them; owners and admins only',
    description: 'Every night does the same. Inputs, outputs, events, traces and files of runs go; receipts stay, and can be verified.',
    scope: 'account',
    params: OrganizationParams,
    body: RetentionIn,
    out: CompliancePurgeOut,
    errors: [401, 403, 404, 409],
  },
  status: {
    at: 'GET /v1/me/organizations/{slug}/compliance/status',
    summary: 'Read which controls of each framework are met, by which evidence, and what to do next',
    scope: 'account',
    params: OrganizationParams,
    out: ComplianceStatusOut,
    errors: [401, 403, 404],
  },
});

/** What came of an export, and its file. */
export const complianceExports = svcGroup({
  exports: {
    at: 'GET /v1/me/organizations/{slug}/compliance/exports',
    summary: 'Exports of the organization, newest first',
    scope: 'account',
    params: OrganizationParams,
    query: pageQuery(20, 100),
    out: z.strictObject({ items: z.array(ComplianceExportOut), next_cursor: nextCursor }).meta({ id: 'ComplianceExportsOut' }),
    errors: [400, 401, 403, 404],
  },
  getExport: {
    at: 'GET /v1/me/organizations/{slug}/compliance/exports/{export_id}',
    summary: 'One export',
    scope: 'account',
    params: ExportParams,
    out: ComplianceExportOut,
    errors: [401, 403, 404],
  },
  cancelExport: {
    at: 'POST /v1/me/organizations/{slug}/compliance/exports/{export_id}/cancel',
    summary: 'Cancel an export that is under way',
    scope: 'account',
    params: ExportParams,
    out: ComplianceExportOut,
    errors: [401, 403, 404, 409],
  },
  exportFile: {
    at: 'GET /v1/me/organizations/{slug}/compliance/exports/{export_id}/file',
    summary: 'The file of an export, one JSON document a line',
    scope: 'account',
    params: ExportParams,
    out: { kind: 'bytes', media: 'application/x-ndjson' },
    ranges: true,
    errors: [401, 403, 404, 409, 410, 412, 416],
  },
});
