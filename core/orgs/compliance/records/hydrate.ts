// Records from the rows of their sources: facts and hashes, never contents.
import { approvalOf } from '../../../pauses/approval/model.ts';
import { countedVotes } from '../../../pauses/approval/receipt.ts';
import type { Knex } from 'knex';
import type { DecisionRecordOut } from '#contract/orgs/compliance.ts';
import type { ReceiptPayload } from '#contract/wire/receipt.ts';
import type { AuditLogRow, PolicyDecisionsRow, PolicyDenialsRow, ReceiptsRow, WaitsRow } from '#db/tables.ts';
import type { RecordKey } from './read.ts';
import { type SourceName, RECORD_SOURCES } from './sources.ts';
import type { SignedFacts } from './verify.ts';

export interface KnownRecord {
  record: DecisionRecordOut;
  cursor_at: number;
  token: string | null;
  /** Of a receipt: what the row says was signed. */
  facts: SignedFacts | null;
}

type Known = Omit<KnownRecord, 'cursor_at'>;

/** In the order of the keys. With an organization: only those that are its own. */
export async function hydrate(db: Knex, keys: readonly RecordKey[], organizationId?: string): Promise<KnownRecord[]> {
  const recordsById = new Map<string, Known>();
  const bySource = Map.groupBy(keys, ({ source }) => source);
  for (const [source, all] of bySource) {
    const ids = all.map(({ record_id }) => record_id);
    const known = await HYDRATORS[source](db, organizationId === undefined ? ids : await ownAmong(db, source, organizationId, ids));
    for (const one of known) recordsById.set(one.record.record_id, one);
  }
  return keys.flatMap(({ record_id, cursor_at }) => {
    const one = recordsById.get(record_id);
    return one ? [{ ...one, cursor_at }] : [];
  });
}

const OWN: Record<SourceName, string> = {
  receipts: 'select t.receipt_id as id from receipts t join agents a using (agent_id) where a.owner_id = :organizationId and t.receipt_id = any(:ids)',
  decisions: 'select decision_id as id from policy_decisions where owner_id = :organizationId and decision_id = any(:ids)',
  denials: 'select denial_id as id from policy_denials where user_id = :organizationId and denial_id = any(:ids)',
  waits: 'select t.wait_id as id from waits t join agents a using (agent_id) where a.owner_id = :organizationId and t.wait_id = any(:ids)',
  changes:
    'select audit_id as id from audit_log where (owner_id = :organizationId or (target_id = :organizationId and owner_id is null)) and audit_id = any(:ids)',
};

async function ownAmong(db: Knex, source: SourceName, organizationId: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { id: string }[] }>(OWN[source], { organizationId, ids: [...ids] });
  return rows.map(({ id }) => id);
}

const HYDRATORS: Record<SourceName, (db: Knex, ids: readonly string[]) => Promise<Known[]>> = {
  receipts: async (db, ids) => {
    const rows = await db('receipts as r')
      .join('agents as a', 'a.agent_id', 'r.agent_id')
      .whereIn('r.receipt_id', [...ids])
      .select<ReceiptOfAgent[]>(
        ...RECEIPT_COLUMNS.map((name) => `r.${name}`),
        'a.name as agent_name',
        // Thousands of files would be read for their number.
        db.raw(`r.payload - 'files' - 'handoffs' as payload`),
        db.raw(`jsonb_array_length(r.payload->'files')::int as files`),
        db.raw(`jsonb_array_length(r.payload->'handoffs')::int as handoffs`),
      );
    return rows.map(ofReceipt);
  },
  decisions: async (db, ids) => (await db('policy_decisions').whereIn('decision_id', [...ids])).map(ofDecision),
  denials: async (db, ids) => (await db('policy_denials').whereIn('denial_id', [...ids])).map(ofDenial),
  waits: async (db, ids) => {
    const [rows, votes] = await Promise.all([db('waits').whereIn('wait_id', [...ids]), countedVotes(db, ids)]);
    return rows.map((row) => ofWait(row, votes.get(row.wait_id) ?? []));
  },
  changes: async (db, ids) => {
    const rows = await db('audit_log as l')
      .leftJoin('agents as a', 'a.agent_id', 'l.target_id')
      .whereIn('l.audit_id', [...ids])
      .select<(AuditLogRow & { agent_name: string | null })[]>('l.*', 'a.name as agent_name');
    return rows.map(ofChange);
  },
};

const base = (source: SourceName) => ({ kind: RECORD_SOURCES[source].kind });

const RECEIPT_COLUMNS = [
  'receipt_id',
  'skill',
  'status',
  'kid',
  'seq',
  'token',
  'payload_sha256',
  'created_at',
  'ended_at',
  'caller_kind',
  'caller_id',
  'source',
  'run_id',
  'job_id',
  'duration_ms',
] as const satisfies readonly (keyof ReceiptsRow)[];

interface ReceiptOfAgent extends Pick<ReceiptsRow, (typeof RECEIPT_COLUMNS)[number]> {
  agent_name: string;
  payload: unknown;
  files: number;
  handoffs: number;
}

function ofReceipt(row: ReceiptOfAgent): Known {
  // Safe: receipts are stored after their payload was read as one; the lists that were taken off are counted.
  const payload = row.payload as Omit<ReceiptPayload, 'files' | 'handoffs'>;
  const { receipt_id, skill, status, kid, payload_sha256 } = row;
  return {
    record: {
      ...base('receipts'),
      record_id: receipt_id,
      recorded_at: row.created_at.toISOString(),
      occurred_at: row.ended_at.toISOString(),
      agent: row.agent_name,
      actor: { kind: row.caller_kind, id: row.caller_id },
      action: skill,
      outcome: status,
      verifiable: true,
      details: {
        source: row.source,
        version: payload.agent.version,
        deployment_id: payload.agent.deployment_id,
        image: payload.agent.image,
        run_id: row.run_id,
        job_id: row.job_id,
        kid,
        seq: payload.seq,
        previous_sha256: payload.previous_sha256,
        payload_sha256,
        input_sha256: payload.input_sha256,
        output_sha256: payload.output_sha256,
        error_code: payload.error_code,
        grants: payload.grants,
        files: row.files,
        handoffs: row.handoffs,
        denials: payload.denials?.length ?? 0,
        started_at: payload.started_at,
        duration_ms: row.duration_ms,
      },
    },
    token: row.token,
    facts: { receipt_id, skill, status, kid, payload_sha256, agent: row.agent_name, seq: row.seq ?? payload.seq, ended_at: row.ended_at.toISOString() },
  };
}

function ofDecision(row: PolicyDecisionsRow): Known {
  // Safe: only core/policy/cedar/record.ts writes them.
  const { principal, resource } = row.request as { principal: Record<string, string>; resource: Record<string, unknown> };
  const kind = (principal['type'] ?? '').toLowerCase();
  return unsigned({
    ...base('decisions'),
    record_id: row.decision_id,
    recorded_at: row.decided_at.toISOString(),
    occurred_at: row.decided_at.toISOString(),
    agent: principal['agent'] ?? (kind === 'agent' ? (principal['name'] ?? null) : null),
    actor: { kind, id: principal['id'] ?? principal['name'] ?? null },
    action: row.action,
    outcome: row.outcome,
    details: { resource, reasons: row.reasons, rules_version: row.rules_version, policy_hash: row.policy_hash },
  });
}

function ofDenial(row: PolicyDenialsRow): Known {
  return unsigned({
    ...base('denials'),
    record_id: row.denial_id,
    recorded_at: row.created_at.toISOString(),
    occurred_at: row.last_at.toISOString(),
    agent: row.agent_name,
    actor: { kind: row.run_id === null ? 'user' : 'run', id: row.run_id },
    action: row.action,
    outcome: row.outcome,
    details: { rule: row.rule, resource: row.resource, message: row.message, count: row.count, job_id: row.job_id, policy_sha256: row.policy_sha256, policy_version: row.policy_version }, // prettier-ignore
  });
}

function ofWait(row: WaitsRow, votes: readonly object[]): Known {
  const approval = approvalOf(row);
  const rule = approval && { rule: approval.rule, policy_version: approval.policy_version, policy_sha256: approval.policy_sha256, votes };
  return unsigned({
    ...base('waits'),
    record_id: row.wait_id,
    recorded_at: row.created_at.toISOString(),
    occurred_at: (row.resolved_at ?? row.created_at).toISOString(),
    agent: row.agent_name,
    actor: { kind: 'user', id: row.resolved_by ?? row.asked_of },
    action: row.kind,
    outcome: row.state,
    details: {
      skill: row.skill,
      run_id: row.run_id,
      job_id: row.job_id,
      asked_of: row.asked_of,
      ...(row.asked_kind !== 'caller' && { asked: { of: row.asked_kind, role: row.asked_role, people: [...row.asked_people, ...row.asked_guests] } }),
      expires_at: row.expires_at.toISOString(),
      resolved_at: row.resolved_at?.toISOString() ?? null,
      used_at: row.used_at?.toISOString() ?? null,
      ...(rule && { approval: rule }),
    },
  });
}

function ofChange(row: AuditLogRow & { agent_name: string | null }): Known {
  return unsigned({
    ...base('changes'),
    record_id: row.audit_id,
    recorded_at: row.at.toISOString(),
    occurred_at: row.at.toISOString(),
    agent: row.agent_name,
    actor: { kind: row.actor_kind, id: row.actor_id },
    action: row.action,
    outcome: 'done',
    details: { target_id: row.target_id, request_id: row.request_id, facts: row.details },
  });
}

function unsigned(record: Omit<DecisionRecordOut, 'verifiable'>): Known {
  return { record: { ...record, verifiable: false }, token: null, facts: null };
}
