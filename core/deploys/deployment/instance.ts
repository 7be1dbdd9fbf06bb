// Instances: the machines that serve deployments, as rows. The host has them as machines; the reaper keeps
// the two in step.
import type { Knex } from 'knex';
import { grantKeyOf } from '#contract/crypto/grant-token.ts';
import { setupKeyOf } from '#contract/crypto/encrypted-setup.ts';
import { type Manifest, parseManifest } from '#contract/wire/manifest.ts';
import { modelEnvironment, namedModels } from '#contract/wire/model-use.ts';
import { traceEnvironment } from '#contract/wire/trace-export.ts';
import type { DeploymentsRow } from '#db/tables.ts';
import type { StartInput } from '#drivers/runtime/port.ts';
import { system } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { apiKeyContext } from '../../agents/route/resolve.ts';
import { openDatabases } from '../../agents/database/open.ts';
import { openSecrets } from '../../agents/secret/open.ts';
import { SETUP_KEY } from '../../agents/setup/call.ts';
import { checkCard } from './card.ts';

export interface PreparedInstance {
  start: StartInput;
  manifest: Manifest;
}

/**
 * The row of the deployment's instance and what to start it with; the same instance again when the step is
 * repeated, also at the same time. @throws Conflict deployment_ended
 */
export async function prepareInstance(ctx: Ctx, row: DeploymentsRow, node: string, freshKey: string): Promise<PreparedInstance> {
  if (!row.image) throw new Error(`deployment ${row.deploy_id} has no image`);
  const manifest = parseManifest(row.manifest);
  const { instanceId, apiKey, networkDenied } = await system(ctx, async (ctx) => {
    // The agent's row first, as everywhere.
    await ctx.db('agents').where({ agent_id: row.agent_id }).forUpdate().first('agent_id');
    const current = await ctx.db('deployments').where({ deploy_id: row.deploy_id }).forUpdate().first('state');
    if (current?.state !== 'starting' && current?.state !== 'verifying')
      throw new Conflict('deployment_ended', 'The deployment ended before its machine was started');
    const existing = await ctx.db('instances').where({ deploy_id: row.deploy_id, node }).whereIn('state', ['starting', 'serving']).first();
    if (existing) {
      const key = await ctx.drivers.vault.open(existing.api_key_sealed, apiKeyContext(existing.instance_id));
      return { instanceId: existing.instance_id, apiKey: Buffer.from(key).toString(), networkDenied: existing.network_denied };
    }
    const denied = await isNetworkDenied(ctx.db, row.agent_id);
    const id = newId('ins', ctx.clock());
    await ctx.db('instances').insert({
      instance_id: id,
      deploy_id: row.deploy_id,
      agent_id: row.agent_id,
      node,
      state: 'starting',
      network_denied: denied,
      api_key_sealed: await ctx.drivers.vault.seal(Buffer.from(freshKey), apiKeyContext(id)),
    });
    return { instanceId: id, apiKey: freshKey, networkDenied: denied };
  });
  const { urls, databases } = await openDatabases(ctx, row.agent_id);
  const { secrets, inject } = await openSecrets(ctx, row.agent_id);
  return {
    manifest,
    start: {
      instance_id: instanceId,
      agent: manifest.name,
      deployment_id: row.deploy_id,
      image: row.image,
      env: {
        SVC_AGENT_NAME: manifest.name,
        SVC_DEPLOY_ID: row.deploy_id,
        SVC_CP_URL: ctx.config.baseUrl,
        SVC_AGENTS_DOMAIN: ctx.config.agentsDomain,
        ...traceEnvironment(ctx.config.baseUrl, manifest.name),
        ...urls,
        ...(manifest.models && modelEnvironment(ctx.config.baseUrl)),
        ...namedModels(manifest.models),
      },
      // As secrets, too: their values are kept out of logs. A secret of that name goes before.
      secrets: { ...urls, ...secrets },
      inject,
      ...(databases.length > 0 && { databases }),
      api_key: apiKey,
      grant_key: Buffer.from(grantKeyOf(await ctx.drivers.vault.derive('grants'), manifest.name)).toString('base64url'),
      setup_key: setupKeyOf(await ctx.drivers.vault.derive(SETUP_KEY), manifest.name).toString('base64url'),
      // The card is known where the build could read it; checkCard compares with what the agent serves.
      ...limitsOf(row.card, manifest, networkDenied),
    },
  };
}

/** By the current policy of its owner; later changes are sent to its host (network.ts). */
async function isNetworkDenied(db: Knex, agentId: string): Promise<boolean> {
  const owner = db('agents').where({ agent_id: agentId }).select('owner_id');
  return (await db('control_room_policies').whereIn('user_id', owner).first('deny_external_network'))?.deny_external_network === true;
}

function limitsOf(card: unknown, manifest: Manifest, networkDenied: boolean): Pick<StartInput, 'resources' | 'egress'> {
  const { resources, egress } = checkCard(card ?? undefined, manifest);
  return { resources, egress: networkDenied ? { ...egress, deny_external: true } : egress };
}

export async function drainingInstances(db: Knex, of: { node: string } & ({ agent_id: string } | { deploy_id: string })): Promise<string[]> {
  const rows = await db('instances')
    .where({ ...of, state: 'draining' })
    .select('instance_id');
  return rows.map((row) => row.instance_id);
}

/**
 * SQL: runs that are under way in a machine. Those that wait for nobody but their caller are known by their
 * task.
 */
export const RUNS_IN_MACHINES = `(select run_id, deploy_id from runs where state in ('running', 'waiting')
  union all select run_id, deploy_id from protocol_tasks where state = 'open')`;

/**
 * Those of an agent's draining machines that runs still need: what a skill has in its memory while it waits
 * for a person is nowhere else.
 */
export async function instancesWithRuns(db: Knex, agentId: string): Promise<Map<string, number>> {
  const { rows } = await db.raw<{ rows: { instance_id: string; open: number }[] }>(
    `select i.instance_id, count(distinct r.run_id)::int as open from instances i join ${RUNS_IN_MACHINES} r using (deploy_id)
     where i.agent_id = :agentId and i.state = 'draining'
     group by i.instance_id`,
    { agentId },
  );
  return new Map(rows.map(({ instance_id, open }) => [instance_id, open]));
}

export async function markStopped(db: Knex, instanceId: string): Promise<void> {
  await db('instances')
    .where({ instance_id: instanceId })
    .whereNot({ state: 'stopped' })
    .update({ state: 'stopped', stopped_at: db.raw('now()') });
}
