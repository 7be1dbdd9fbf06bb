// The authority of an agent, and what it delegated: grants of files, calls between agents, and decisions of
// users.
import { joined, nodeId, number, refsOf, type Source, strict, text } from './source.ts';

const GRANT_SUMMARIES: Record<string, string> = { mint: 'Given by its owner', delegate: 'Handed on by an agent', extend: 'Extended on request' };

export const grantSource: Source = {
  type: 'grant',
  lane: 'authority',
  // Of the viewer's own files: paths of others are not even counted.
  rows: ({ viewer }) =>
    viewer === null
      ? undefined
      : {
          columns: `g.kind, g.mode, g.parent_grant_id, g.run_id, g.superseded_by,
            case when g.revoked_at is not null then 'revoked' when g.superseded_by is not null then 'superseded' when g.expires_at < now() then 'expired' else 'active' end as state`,
          from: 'grants g',
          where: 'g.audience = :name and g.owner_id = :viewer',
          at: 'g.issued_at',
          id: 'g.grant_id',
        },
  left_out: () => 'grants of other accounts',
  node: (row) => ({
    label: `Grant, ${text(row, 'mode').replaceAll('_', ' ')}`,
    status: text(row, 'state'),
    summary: GRANT_SUMMARIES[text(row, 'kind')] ?? '',
    provenance: ['grants'],
    refs: refsOf(row, 'parent_grant_id', 'run_id', 'superseded_by'),
    redaction: ['paths'],
    confidence: 'strict',
  }),
  joins: (row, self) => joined(row, 'parent_grant_id', (id) => strict('parent_of', nodeId('grant', id), self, 'grants.parent_grant_id = grants.grant_id')),
};

/** Calls between agents in the viewer's account: those that the agent made, and those that it received. */
const handoff = (side: 'agent_name' | 'caller_agent'): Source => ({
  type: 'handoff',
  lane: 'authority',
  rows: ({ viewer }) =>
    viewer === null
      ? undefined
      : {
          columns:
            'h.agent_name, h.caller_agent, h.caller_run_id, h.skill, h.source, h.calls, h.run_id, h.rerun_of, r.receipt_id, c.receipt_id as calling_receipt_id',
          from: 'subagent_runs h',
          joins: `left join receipts r on r.run_id = h.run_id and r.source = 'platform' left join receipts c on c.run_id = h.caller_run_id and c.source = 'platform'`,
          where: `h.${side} = :name and h.owner_id = :viewer${side === 'caller_agent' ? ' and h.agent_name <> :name' : ''}`,
          at: 'h.started_at',
          id: 'h.grant_id',
        },
  left_out: () => 'handoffs of other accounts',
  node: (row) => ({
    label: `${text(row, 'caller_agent') || 'a user'} to ${text(row, 'agent_name')}`,
    status: text(row, 'source'),
    summary: `${text(row, 'skill')}, ${number(row, 'calls')} ${number(row, 'calls') === 1 ? 'call' : 'calls'}`,
    provenance: ['subagent_runs'],
    refs: refsOf(row, 'agent_name', 'caller_agent', 'run_id', 'caller_run_id', 'rerun_of'),
    redaction: ['arguments', 'result'],
    // A call that an agent reports is that agent's word.
    confidence: text(row, 'source') === 'reported' ? 'inferred' : 'strict',
  }),
  joins: (row, self) => {
    const confidence = text(row, 'source') === 'reported' ? 'inferred' : 'strict';
    const id = self.slice('handoff:'.length);
    return [
      { ...strict('authorizes', nodeId('grant', id), self, 'subagent_runs.grant_id = grants.grant_id'), confidence },
      ...(text(row, 'receipt_id') === ''
        ? []
        : [{ ...strict('used_by_receipt', self, nodeId('receipt', text(row, 'receipt_id')), 'subagent_runs.run_id = receipts.run_id'), confidence } as const]),
      ...(text(row, 'calling_receipt_id') === ''
        ? []
        : [
            {
              ...strict('parent_of', nodeId('receipt', text(row, 'calling_receipt_id')), self, 'subagent_runs.caller_run_id = receipts.run_id'),
              confidence,
            } as const,
          ]),
    ];
  },
});

export const handoffsToSource = handoff('agent_name');
export const handoffsBySource = handoff('caller_agent');

/**
 * What the viewer was asked in runs of the agent, and what they said. The question itself is the agent's
 * word.
 */
export const decisionSource: Source = {
  type: 'decision',
  lane: 'control',
  rows: ({ viewer }) =>
    viewer === null
      ? undefined
      : {
          columns: 'w.kind, w.state, w.run_id, w.job_id, w.skill, n.grant_id',
          from: 'waits w',
          joins: 'left join lateral (select grant_id from grants g where g.wait_id = w.wait_id order by grant_id limit 1) n on true',
          where: 'w.agent_id = :agent_id and w.asked_of = :viewer',
          at: 'w.created_at',
          id: 'w.wait_id',
        },
  left_out: () => 'decisions of other accounts',
  node: (row) => ({
    label: text(row, 'kind').replaceAll('_', ' '),
    status: text(row, 'state'),
    summary: text(row, 'skill') === '' ? 'A person was asked' : `A person was asked in ${text(row, 'skill')}`,
    provenance: ['waits'],
    refs: refsOf(row, 'run_id', 'job_id'),
    redaction: ['question', 'answer'],
    confidence: 'strict',
  }),
  joins: (row, self) => [
    ...joined(row, 'grant_id', (id) => strict('authorizes', self, nodeId('grant', id), 'grants.wait_id = waits.wait_id')),
    ...joined(row, 'job_id', (id) => strict('parent_of', nodeId('job', id), self, 'waits.job_id = jobs.job_id')),
  ],
};
