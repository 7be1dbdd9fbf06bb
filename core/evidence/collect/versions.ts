// Versions: the agent itself, its deployments, and what changed it.
import { joined, nodeId, refsOf, type Source, strict, text } from './source.ts';

/** Versions have no rows of their own: a deployment names its version. */
export const versionId = (version: string): string => nodeId('version', version);

export const agentSource: Source = {
  type: 'agent',
  lane: 'version',
  whole: true,
  rows: () => ({ columns: 'a.name, a.kind, a.visibility', from: 'agents a', where: 'a.agent_id = :agent_id', at: 'a.created_at', id: 'a.agent_id' }),
  left_out: () => undefined,
  node: (row) => ({
    label: text(row, 'name'),
    status: text(row, 'visibility'),
    summary: `A ${text(row, 'kind')} agent`,
    provenance: ['agents'],
    refs: { name: text(row, 'name') },
    redaction: [],
    confidence: 'strict',
  }),
  joins: () => [],
};

export const deploymentSource: Source = {
  type: 'deployment',
  lane: 'version',
  whole: true,
  rows: ({ isOwner }) => ({
    columns: `d.number, d.state, d.version, d.job_id, d.upgrade_of, d.upgrade_kind, d.source_commit, d.error->>'code' as code`,
    from: 'deployments d',
    where: `d.agent_id = :agent_id${isOwner ? '' : ` and d.state in ('live', 'superseded')`}`,
    at: 'd.created_at',
    id: 'd.deploy_id',
  }),
  left_out: ({ isOwner }) => (isOwner ? undefined : 'deployments that never served'),
  node: (row, { isOwner }) => ({
    label: `Deployment ${text(row, 'number')}`,
    status: text(row, 'state'),
    summary: [`Version ${text(row, 'version') || 'unknown'}`, isOwner && text(row, 'code')].filter(Boolean).join(', '),
    provenance: ['deployments'],
    refs: isOwner ? refsOf(row, 'version', 'job_id', 'source_commit') : refsOf(row, 'version'),
    redaction: isOwner ? [] : ['job', 'source'],
    confidence: 'strict',
  }),
  joins: (row, self, { isOwner, agent_id }) => [
    ...(text(row, 'version') === ''
      ? [strict('parent_of', nodeId('agent', agent_id), self, 'deployments.agent_id = agents.agent_id')]
      : [strict('deploys_version', self, versionId(text(row, 'version')), 'deployments.version')]),
    ...(isOwner && text(row, 'job_id') !== ''
      ? [strict('triggered_deployment', nodeId('job', text(row, 'job_id')), self, 'deployments.job_id = jobs.job_id')]
      : []),
    ...(isOwner && text(row, 'upgrade_of') !== ''
      ? [strict('triggered_deployment', nodeId('deployment', text(row, 'upgrade_of')), self, 'deployments.upgrade_of = deployments.deploy_id')]
      : []),
  ],
};

export const repairSource: Source = {
  type: 'mutation',
  lane: 'mutation',
  rows: ({ isOwner }) =>
    isOwner
      ? {
          columns: 'm.state, m.tests, m.deploy_id, m.healed_deploy_id, m.job_id',
          from: 'agent_repairs m',
          where: 'm.agent_id = :agent_id',
          at: 'm.created_at',
          id: 'm.repair_id',
        }
      : undefined,
  left_out: ({ isOwner }) => (isOwner ? undefined : 'repairs and updates'),
  node: (row) => ({
    label: 'Repair',
    status: text(row, 'state'),
    summary: `Self-healing; tests ${text(row, 'tests').replaceAll('_', ' ')}`,
    provenance: ['agent_repairs'],
    refs: refsOf(row, 'deploy_id', 'healed_deploy_id', 'job_id'),
    redaction: ['error'],
    confidence: 'strict',
  }),
  joins: (row, self) => [
    ...joined(row, 'healed_deploy_id', (id) =>
      strict('triggered_deployment', self, nodeId('deployment', id), 'agent_repairs.healed_deploy_id = deployments.deploy_id'),
    ),
    strict('parent_of', nodeId('deployment', text(row, 'deploy_id')), self, 'agent_repairs.deploy_id = deployments.deploy_id'),
  ],
};

export const templateSource: Source = {
  type: 'mutation',
  lane: 'mutation',
  rows: ({ isOwner }) =>
    isOwner
      ? {
          columns: 'm.state, m.ref, m.from_version, m.to_version, m.of_deploy_id, m.deploy_id',
          from: 'template_updates m',
          where: 'm.agent_id = :agent_id',
          at: 'm.created_at',
          id: 'm.update_id',
        }
      : undefined,
  left_out: ({ isOwner }) => (isOwner ? undefined : 'repairs and updates'),
  node: (row) => ({
    label: 'Template update',
    status: text(row, 'state'),
    summary: `${text(row, 'ref')} ${text(row, 'from_version')} to ${text(row, 'to_version')}`,
    provenance: ['template_updates'],
    refs: refsOf(row, 'of_deploy_id', 'deploy_id'),
    redaction: ['files'],
    confidence: 'strict',
  }),
  joins: (row, self) => [
    ...joined(row, 'deploy_id', (id) => strict('triggered_deployment', self, nodeId('deployment', id), 'template_updates.deploy_id = deployments.deploy_id')),
    strict('parent_of', nodeId('deployment', text(row, 'of_deploy_id')), self, 'template_updates.of_deploy_id = deployments.deploy_id'),
  ],
};
