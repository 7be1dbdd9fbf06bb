// What an agent did: its receipts, the sessions and jobs that they are of, and the models that it asked.
import { joined, nodeId, number, refsOf, type Source, strict, text, texts } from './source.ts';

/** A receipt may name as many as it likes. */
const MOST_JOINS = 20;
const firstOf = (path: string): string => `jsonb_path_query_array(r.payload, '$.${path}[0 to ${MOST_JOINS - 1}]')`;

export const receiptSource: Source = {
  type: 'receipt',
  lane: 'process',
  rows: ({ isOwner, viewer }) =>
    isOwner || viewer !== null
      ? {
          columns: `r.skill, r.status as state, r.source, r.caller_kind, r.deploy_id, r.job_id, r.run_id, r.duration_ms, r.seq,
            r.payload->'agent'->>'version' as version, r.payload->>'error_code' as code, ${firstOf('grants')} as grants, ${firstOf('handoffs')} as handoffs`,
          from: 'receipts r',
          where: `r.agent_id = :agent_id${isOwner ? '' : ' and r.caller_user_id = :viewer'}`,
          at: 'r.created_at',
          id: 'r.receipt_id',
        }
      : undefined,
  left_out: ({ isOwner }) => (isOwner ? undefined : "others' receipts"),
  node: (row, { isOwner }) => ({
    label: text(row, 'skill'),
    status: text(row, 'state'),
    summary: [
      `${number(row, 'duration_ms')} ms`,
      `called by ${text(row, 'caller_kind') === 'run' ? 'an agent' : `a ${text(row, 'caller_kind').replaceAll('_', ' ')}`}`,
      text(row, 'code'),
    ]
      .filter(Boolean)
      .join(', '),
    provenance: ['receipts'],
    refs: isOwner ? refsOf(row, 'deploy_id', 'run_id', 'version') : refsOf(row, 'run_id', 'version'),
    redaction: ['arguments', 'result', 'caller'],
    confidence: 'strict',
  }),
  joins: (row, self) => [
    ...joined(row, 'deploy_id', (id) => strict('used_by_receipt', nodeId('deployment', id), self, 'receipts.deploy_id = deployments.deploy_id')),
    ...joined(row, 'job_id', (id) => strict('used_by_receipt', nodeId('job', id), self, 'receipts.job_id = jobs.job_id')),
    ...texts(row, 'grants').map((grant) => strict('authorizes', nodeId('grant', grant), self, 'receipts.payload.grants = grants.grant_id')),
    ...handoffsOf(row).map((grant) => strict('parent_of', self, nodeId('handoff', grant), 'receipts.payload.handoffs.grant_id = subagent_runs.grant_id')),
  ],
};

function handoffsOf(row: Record<string, unknown>): string[] {
  if (!Array.isArray(row.handoffs)) return [];
  return row.handoffs.flatMap((one: unknown) =>
    typeof one === 'object' && one !== null && 'grant_id' in one && typeof one.grant_id === 'string' ? [one.grant_id] : [],
  );
}

export const sessionSource: Source = {
  type: 'session',
  lane: 'process',
  rows: ({ viewer }) =>
    viewer === null
      ? undefined
      : {
          columns: `s.run_id, s.job_id, s.header->>'skill' as skill, s.seal is not null as sealed, r.receipt_id`,
          from: 'agent_sessions s',
          joins: `left join receipts r on r.run_id = s.run_id and r.source = 'platform'`,
          where: 's.agent_id = :agent_id and s.user_id = :viewer',
          at: 's.started_at',
          id: 's.session_id',
        },
  left_out: () => 'sessions of other accounts',
  node: (row) => ({
    label: `Session${text(row, 'skill') === '' ? '' : ` of ${text(row, 'skill')}`}`,
    status: row.sealed === true ? 'sealed' : 'open',
    summary: row.sealed === true ? 'Its log is signed' : 'Its log is not signed yet',
    provenance: ['agent_sessions'],
    refs: refsOf(row, 'run_id', 'job_id'),
    redaction: ['log'],
    confidence: row.sealed === true ? 'strict' : 'partial',
  }),
  joins: (row, self) => [
    ...joined(row, 'job_id', (id) => strict('parent_of', nodeId('job', id), self, 'agent_sessions.job_id = jobs.job_id')),
    ...joined(row, 'receipt_id', (id) => strict('used_by_receipt', self, nodeId('receipt', id), 'agent_sessions.run_id = receipts.run_id')),
  ],
};

export const jobSource: Source = {
  type: 'job',
  lane: 'process',
  rows: ({ viewer }) =>
    viewer === null
      ? undefined
      : {
          columns: `j.kind, j.state, j.parent_job_id, j.error->>'code' as code`,
          from: 'jobs j',
          where: 'j.agent_id = :agent_id and j.owner_id = :viewer',
          at: 'j.created_at',
          id: 'j.job_id',
        },
  left_out: () => 'jobs of other accounts',
  node: (row) => ({
    label: `Job: ${text(row, 'kind').replaceAll('_', ' ')}`,
    status: text(row, 'state'),
    summary: text(row, 'code'),
    provenance: ['jobs'],
    refs: refsOf(row, 'parent_job_id'),
    redaction: ['input', 'output', 'log'],
    confidence: 'strict',
  }),
  joins: (row, self) => joined(row, 'parent_job_id', (id) => strict('parent_of', nodeId('job', id), self, 'jobs.parent_job_id = jobs.job_id')),
};

/** On credentials of the viewer: what others pay is theirs to see. */
export const modelUsageSource: Source = {
  type: 'model_usage',
  lane: 'cost',
  rows: ({ viewer }) =>
    viewer === null
      ? undefined
      : {
          columns: 'u.model, u.state, u.run_id, u.input_tokens, u.output_tokens, u.cost_micros, u.estimated, r.receipt_id',
          from: 'llm_usage u',
          joins: `left join receipts r on r.run_id = u.run_id and r.source = 'platform'`,
          where: 'u.agent_name = :name and u.user_id = :viewer',
          at: 'u.started_at',
          id: 'u.usage_id',
        },
  left_out: () => 'model usage that others pay',
  node: (row) => ({
    label: text(row, 'model'),
    status: text(row, 'state'),
    summary: [
      `${number(row, 'input_tokens')} tokens in, ${number(row, 'output_tokens')} out`,
      row.cost_micros === null ? 'no price known' : `${(number(row, 'cost_micros') / 1_000_000).toFixed(4)} $`,
    ].join(', '),
    provenance: ['llm_usage'],
    refs: refsOf(row, 'run_id'),
    redaction: ['messages'],
    confidence: row.estimated === true ? 'partial' : 'strict',
  }),
  joins: (row, self) => joined(row, 'receipt_id', (id) => strict('used_by_receipt', self, nodeId('receipt', id), 'llm_usage.run_id = receipts.run_id')),
};
