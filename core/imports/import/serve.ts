// A card that was read becomes what serves: a deployment without source or machine, live at once, in place of
// the one before.
import type { AgentCard } from '#contract/wire/card.ts';
import type { RemoteCard } from '#drivers/remote-agent/port.ts';
import { createJob } from '../../jobs/create.ts';
import { markRunning } from '../../jobs/long-work.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { goLive } from '../../deploys/deployment/stages.ts';
import { apiKeyContext } from '../../agents/route/resolve.ts';
import { IMPORT_NODE } from '../../agents/agent/imported.ts';
import { newImportKey } from './key.ts';

export interface Serving {
  agent: { id: string; name: string };
  ownerId: string;
  remote: RemoteCard;
  digest: string;
  card: AgentCard;
  /** null: as it is. */
  public: boolean | null;
  title: string;
}

/** In the caller's transaction, which holds the agent's row. Resolves with the deployment's id. */
export async function serveCard(ctx: TxCtx, i: Serving): Promise<string> {
  const [counted] = await ctx
    .db('agents')
    .where({ agent_id: i.agent.id })
    .update({ deploy_count: ctx.db.raw('deploy_count + 1') })
    .returning('deploy_count');
  const [deployId, instanceId] = [newId('dep', ctx.clock()), newId('imp', ctx.clock())];
  const jobId = await createJob(ctx, {
    kind: 'import',
    title: i.title,
    ownerId: i.ownerId,
    agent: i.agent,
    input: { deploy_id: deployId, number: counted?.deploy_count, version: i.card.version, protocol: i.remote.protocol },
  });
  await markRunning(ctx.db, jobId);
  const entrypoint = 'import:Agent';
  await ctx.db('deployments').insert({
    deploy_id: deployId,
    agent_id: i.agent.id,
    number: counted?.deploy_count ?? 1,
    state: 'verifying',
    job_id: jobId,
    created_by: i.ownerId,
    version: i.card.version,
    entrypoint,
    manifest: JSON.stringify({ name: i.agent.name, version: i.card.version, entrypoint }),
    public: i.public,
    source_key: `imports/${deployId}`,
    source_sha256: i.digest,
    source_bytes: 0,
    card: JSON.stringify(i.card),
  });
  await ctx.db('instances').insert({
    instance_id: instanceId,
    deploy_id: deployId,
    agent_id: i.agent.id,
    node: IMPORT_NODE,
    state: 'starting',
    api_key_sealed: await ctx.drivers.vault.seal(Buffer.from(newImportKey(instanceId)), apiKeyContext(instanceId)),
    runtime: `remote:${i.remote.protocol}/${i.remote.protocol_version}`,
  });
  await goLive(ctx, deployId, instanceId, i.card);
  return deployId;
}
