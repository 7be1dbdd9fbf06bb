// The newest evidence of an agent as a graph.
import type { EvidenceDagOut, EvidenceNodeOut } from '#contract/evidence/agent-evidence.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { gather, evidenceView } from '../collect/gather.ts';
import { type Join, nodeId, strict } from '../collect/source.ts';
import { versionId } from '../collect/versions.ts';
import { projectGraph } from './project.ts';

/** @throws NotFound agent_not_found */
export async function readDag(ctx: Ctx, i: { name: string; limit: number }): Promise<EvidenceDagOut> {
  const { agent, of } = await evidenceView(ctx, i.name);
  const { nodes, joins, redaction, watermark } = await gather(ctx.db, of, { most: i.limit + 1 });
  const versions = versionsOf(nodes);
  const ofAgent = versions.map(({ id }) => strict('parent_of', nodeId('agent', of.agent_id), id, 'deployments.agent_id = agents.agent_id'));
  return {
    agent: agent.name,
    ...projectGraph([...nodes, ...versions], [...joins, ...ofAgent], { limit: i.limit, pinned: pinnedOf(nodes, joins, of) }),
    redaction,
    watermark,
  };
}

/** As old as the first deployment of it that was read. */
function versionsOf(nodes: readonly EvidenceNodeOut[]): EvidenceNodeOut[] {
  const first = new Map<string, EvidenceNodeOut>();
  for (const node of nodes) {
    const version = node.type === 'deployment' ? node.refs.version : undefined;
    if (version === undefined) continue;
    const known = first.get(version);
    if (!known || node.sort_key < known.sort_key) first.set(version, node);
  }
  return [...first].map(([version, { time, sort_key }]) => ({
    id: versionId(version),
    type: 'version',
    lane: 'version',
    label: `Version ${version}`,
    status: null,
    summary: '',
    time,
    sort_key: `${sort_key.slice(0, sort_key.indexOf(' '))} ${versionId(version)}`,
    provenance: ['deployments'],
    refs: { version },
    redaction: [],
    confidence: 'strict',
  }));
}

function pinnedOf(nodes: readonly EvidenceNodeOut[], joins: readonly Join[], of: { agent_id: string; live_deploy_id: string | null }): Set<string> {
  const live = of.live_deploy_id === null ? undefined : nodeId('deployment', of.live_deploy_id);
  const version = joins.find(({ type, from }) => type === 'deploys_version' && from === live)?.to;
  return new Set(
    [nodeId('agent', of.agent_id), ...(live === undefined ? [] : [live]), ...(version === undefined ? [] : [version])].filter(
      (id) => id === version || nodes.some((node) => node.id === id),
    ),
  );
}
