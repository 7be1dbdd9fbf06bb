// Who checked an agent, and what they found: reviews, findings, proofs, and versions checked against
// datasets.
import { joined, type Join, nodeId, number, refsOf, type Row, type Source, strict, text } from './source.ts';
import { versionId } from './versions.ts';

const deploymentOf = (row: Row): string => nodeId('deployment', text(row, 'deploy_id'));

export const reviewSource: Source = {
  type: 'review',
  lane: 'quality',
  rows: ({ isOwner }) => ({
    columns: 'c.state, c.deploy_id, c.job_id, c.critical_count, c.warning_count, c.info_count, d.version',
    from: 'review_runs c',
    joins: 'join deployments d using (deploy_id)',
    where: `c.agent_id = :agent_id${isOwner ? '' : ` and exists (select 1 from deployments o where o.deploy_id = c.deploy_id and o.state in ('live', 'superseded'))`}`,
    at: 'c.created_at',
    id: 'c.review_id',
  }),
  left_out: ({ isOwner }) => (isOwner ? undefined : 'findings'),
  node: (row, { isOwner }) => ({
    label: 'Review',
    status: text(row, 'state'),
    summary: `${number(row, 'critical_count')} critical, ${number(row, 'warning_count')} warnings, ${number(row, 'info_count')} notes`,
    provenance: ['review_runs'],
    refs: isOwner ? refsOf(row, 'deploy_id', 'job_id') : refsOf(row, 'deploy_id'),
    redaction: isOwner ? ['source'] : ['source', 'findings'],
    confidence: 'strict',
  }),
  joins: (row, self) => [strict('reviewed_by', deploymentOf(row), self, 'review_runs.deploy_id = deployments.deploy_id'), ...verdict(row, self)],
};

const PASSED = new Set(['passed', 'succeeded']);
const FAILED = new Set(['failed']);

function verdict(row: Row, self: string): Join[] {
  const state = text(row, 'state');
  if (text(row, 'version') === '') return [];
  if (PASSED.has(state)) return [strict('supports', self, versionId(text(row, 'version')), 'deployments.version')];
  return FAILED.has(state) ? [strict('contradicts', self, versionId(text(row, 'version')), 'deployments.version')] : [];
}

/** What a review of loops, runs or simulations found, and what its owner answered. */
export const findingSource: Source = {
  type: 'finding',
  lane: 'quality',
  table: 'agent_findings',
  rows: ({ isOwner }) =>
    isOwner
      ? {
          columns: 'f.severity, f.state, f.answer, f.source, f.rule, f.skill, f.confirmed, f.deploy_id, f.job_id, f.title, d.version, v.review_id',
          from: 'agent_findings f',
          joins: 'left join deployments d using (deploy_id) left join review_runs v using (deploy_id)',
          where: 'f.agent_id = :agent_id',
          at: 'f.created_at',
          id: 'f.finding_id',
        }
      : undefined,
  left_out: ({ isOwner }) => (isOwner ? undefined : 'findings'),
  node: (row) => ({
    label: text(row, 'title') || text(row, 'rule'),
    status: text(row, 'answer') || text(row, 'state'),
    summary: `${text(row, 'severity')}, ${text(row, 'source').replaceAll('_', ' ')}${row.confirmed === true ? ', confirmed' : ''}`,
    provenance: ['agent_findings'],
    refs: refsOf(row, 'deploy_id', 'job_id', 'skill', 'rule'),
    redaction: ['reproduction'],
    confidence: row.confirmed === true ? 'strict' : 'partial',
  }),
  joins: (row, self) => [
    ...(text(row, 'source') === 'review_run' && text(row, 'review_id') !== ''
      ? [strict('parent_of', nodeId('review', text(row, 'review_id')), self, 'agent_findings.deploy_id = review_runs.deploy_id')]
      : [strict('parent_of', deploymentOf(row), self, 'agent_findings.deploy_id = deployments.deploy_id')]),
    ...joined(row, 'job_id', (id) => strict('parent_of', nodeId('job', id), self, 'agent_findings.job_id = jobs.job_id')),
    ...(text(row, 'state') === 'open' && text(row, 'severity') === 'critical' && text(row, 'version') !== ''
      ? [strict('contradicts', self, versionId(text(row, 'version')), 'deployments.version')]
      : []),
  ],
};

/**
 * The platform performed a skill under bounds and published what came of it. Published ones are everybody's;
 * one that is not is for who ran it.
 */
const proof = (where: string): Source => ({
  type: 'proof',
  lane: 'quality',
  table: 'agent_proofs',
  rows: () => ({
    columns: `p.status as state, p.skill_name, p.version, p.deploy_id, p.grant_id, p.run_id, p.receipt_id, p.job_id, p.elapsed_ms, p.owner_id = :viewer as own,
      p.token is not null as sealed, p.withdrawn_at is not null as withdrawn`,
    from: 'agent_proofs p',
    where: `p.agent_id = :agent_id and ${where}`,
    at: 'p.created_at',
    id: 'p.proof_id',
  }),
  left_out: () => 'proofs that are not published',
  node: (row) => ({
    label: `Proof of ${text(row, 'skill_name')}`,
    status: row.withdrawn === true ? 'withdrawn' : text(row, 'state'),
    summary: text(row, 'elapsed_ms') === '' ? 'Performed by the platform' : `Performed by the platform in ${text(row, 'elapsed_ms')} ms`,
    provenance: ['agent_proofs'],
    refs:
      row.own === true ? refsOf(row, 'deploy_id', 'version', 'grant_id', 'run_id', 'receipt_id', 'job_id') : refsOf(row, 'deploy_id', 'version', 'receipt_id'),
    redaction: ['arguments', 'result'],
    confidence: row.sealed === true ? 'strict' : 'partial',
  }),
  joins: (row, self) => [
    ...(text(row, 'version') === ''
      ? [strict('parent_of', deploymentOf(row), self, 'agent_proofs.deploy_id = deployments.deploy_id')]
      : [
          strict('tests_version', self, versionId(text(row, 'version')), 'agent_proofs.version'),
          ...(row.withdrawn === true && text(row, 'state') === 'passed' ? [] : verdict(row, self)),
        ]),
    ...(text(row, 'receipt_id') !== ''
      ? [strict('supports', nodeId('receipt', text(row, 'receipt_id')), self, 'agent_proofs.receipt_id = receipts.receipt_id')]
      : []),
    ...(row.own === true && text(row, 'grant_id') !== ''
      ? [strict('authorizes', nodeId('grant', text(row, 'grant_id')), self, 'agent_proofs.grant_id = grants.grant_id')]
      : []),
    ...(row.own === true && text(row, 'job_id') !== ''
      ? [strict('parent_of', nodeId('job', text(row, 'job_id')), self, 'agent_proofs.job_id = jobs.job_id')]
      : []),
  ],
});

/** Two, each by its own index: one that is in both is shown once. */
export const ownProofSource = proof('p.owner_id = :viewer');
export const shownProofSource = proof('p.published and p.token is not null');

/**
 * A version checked against a dataset. It has no verdict of its own: the share that passed is in its words.
 */
export const trialSource: Source = {
  type: 'trial',
  lane: 'quality',
  rows: ({ isOwner }) =>
    isOwner
      ? {
          columns: `e.state, e.dataset, e.deploy_id, e.version,
            (select count(*) from evaluation_results r where r.evaluation_id = e.evaluation_id)::int as items,
            (select count(*) from evaluation_results r where r.evaluation_id = e.evaluation_id and r.passed)::int as passed`,
          from: 'evaluations e',
          where: 'e.agent_id = :agent_id',
          at: 'e.created_at',
          id: 'e.evaluation_id',
        }
      : undefined,
  left_out: ({ isOwner }) => (isOwner ? undefined : 'trials'),
  node: (row) => ({
    label: `Trial on ${text(row, 'dataset')}`,
    status: text(row, 'state'),
    summary: `${number(row, 'passed')} of ${number(row, 'items')} passed`,
    provenance: ['evaluations', 'evaluation_results'],
    refs: refsOf(row, 'deploy_id', 'version', 'dataset'),
    redaction: ['arguments', 'result'],
    confidence: 'strict',
  }),
  joins: (row, self) =>
    text(row, 'version') === ''
      ? [strict('parent_of', deploymentOf(row), self, 'evaluations.deploy_id = deployments.deploy_id')]
      : [strict('tests_version', self, versionId(text(row, 'version')), 'evaluations.version')],
};

/** A version that answered the cases of a trial room of its owner's. */
export const roomTrialSource: Source = {
  type: 'trial',
  lane: 'quality',
  rows: ({ isOwner }) =>
    isOwner
      ? {
          columns: `r.slug, r.decision->>'run_id' = t.run_id as selected, t.deploy_id, t.version, t.job_id, t.score->'mean' as mean, t.compared->>'verdict' as verdict,
            coalesce(j.state, 'ended') as state`,
          from: 'trial_runs t',
          joins: 'join trial_rooms r using (room_id) left join jobs j on j.job_id = t.job_id',
          where: 't.agent_id = :agent_id and t.owner_id = :viewer',
          at: 't.created_at',
          id: 't.run_id',
        }
      : undefined,
  left_out: () => undefined,
  node: (row) => ({
    label: `Trial in ${text(row, 'slug')}`,
    status: text(row, 'state'),
    summary: `${(number(row, 'mean') / 1000).toFixed(1)} points${row.selected === true ? ', selected' : ''}${text(row, 'verdict') === '' ? '' : `, ${text(row, 'verdict')} than the version before`}`,
    provenance: ['trial_runs', 'trial_results'],
    refs: refsOf(row, 'deploy_id', 'version', 'job_id'),
    redaction: ['arguments', 'result'],
    confidence: 'strict',
  }),
  joins: (row, self) =>
    text(row, 'version') === ''
      ? [strict('parent_of', deploymentOf(row), self, 'trial_runs.deploy_id = deployments.deploy_id')]
      : [strict('tests_version', self, versionId(text(row, 'version')), 'trial_runs.version')],
};
