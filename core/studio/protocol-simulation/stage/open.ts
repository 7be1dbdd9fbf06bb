// Makes the stage: the disposable account and the double's rows, then its machine. Each part may come twice.
import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { grantKeyOf } from '#contract/crypto/grant-token.ts';
import { setupKeyOf } from '#contract/crypto/encrypted-setup.ts';
import { AgentCard } from '#contract/wire/card.ts';
import type { DeploymentsRow, ProtocolSimulationsRow } from '#db/tables.ts';
import type { StartInput } from '#drivers/runtime/port.ts';
import { checkCard } from '../../../deploys/deployment/card.ts';
import { DeploymentFault } from '../../../agents/agent/deployment-fault.ts';
import { apiKeyContext } from '../../../agents/route/resolve.ts';
import { SETUP_KEY } from '../../../agents/setup/call.ts';
import { parseManifest } from '#contract/wire/manifest.ts';
import { createJob } from '../../../jobs/create.ts';
import { appendEvent } from '../../../jobs/append-event.ts';
import { transitionJob } from '../../../jobs/transition.ts';
import type { Ctx, TxCtx } from '../../../kernel/ctx.ts';
import { newId } from '../../../kernel/ids.ts';
import { system } from '../../../kernel/act.ts';
import { plantSetup } from './setup.ts';
import { canaryOf, STAGE_ISSUER } from './model.ts';

const LIMITS = { agents: 60, schedules: 0, concurrent_runs: 50, calls_per_minute: 2_000 };

/** On the host that has the image. @throws DeploymentFault; RuntimeError of the host */
export async function openStage(ctx: Ctx, jobId: string, signal: AbortSignal): Promise<void> {
  const row = await ctx.db('protocol_simulations').where({ job_id: jobId }).first();
  if (!row || row.ended_at !== null) return;
  const of = await ctx.db('deployments').where({ deploy_id: row.deploy_id }).first();
  if (!of?.image) throw new DeploymentFault('image_gone', 'The image of this version is no longer kept: deploy the agent again, then rehearse it');
  const staged = await system(ctx, (ctx) => makeRows(ctx, row, of));
  if (staged.state === 'serving') return;
  const started = await ctx.drivers.runtime.start(await startInput(ctx, row, of, staged), () => undefined, signal);
  const { card, fault } = checkCard(started.card, parseManifest(of.manifest));
  if (fault) throw new DeploymentFault(fault.code, fault.message);
  await plantSetup(ctx, { jobId, agentId: staged.agentId, userId: staged.userId, card });
  await system(ctx, async (ctx) => {
    const json = JSON.stringify(card);
    await ctx.db('deployments').where({ deploy_id: staged.deployId }).update({ card: json });
    await ctx
      .db('agents')
      .where({ agent_id: staged.agentId })
      .update({ card: json, skills: card.skills.map(({ id }) => id), live_deploy_id: staged.deployId });
    const moved = await ctx.db('instances').where({ instance_id: staged.instanceId, state: 'starting' }).update({ state: 'serving', runtime: started.runtime });
    if (moved > 0) await appendEvent(ctx.db, jobId, 'stage_opened', { version: row.version, skills: card.skills.length });
  });
}

interface StagedRows {
  userId: string;
  agentId: string;
  name: string;
  deployId: string;
  instanceId: string;
  apiKey: string;
  state: string;
}

async function makeRows(ctx: TxCtx, row: ProtocolSimulationsRow, of: DeploymentsRow): Promise<StagedRows> {
  const current = await ctx.db('protocol_simulations').where({ job_id: row.job_id }).forUpdate().first('stage_user_id');
  const known = current?.stage_user_id == null ? undefined : await stagedRows(ctx, current.stage_user_id);
  if (known) return known;
  const userId = newId('usr', ctx.clock());
  const [agentId, deployId, instanceId] = [newId('agt', ctx.clock()), newId('dep', ctx.clock()), newId('ins', ctx.clock())];
  const name = `rehearsal-${randomBytes(10).toString('hex')}`;
  const card = AgentCard.parse(of.card);
  await ctx.db('users').insert({ user_id: userId, issuer: STAGE_ISSUER, subject: row.job_id, email: '', name: 'A rehearsal' });
  await ctx.db('control_policies').insert({
    user_id: userId,
    suspended: false,
    may_deploy: false,
    may_publish: false,
    may_call_external: false,
    limits: JSON.stringify(LIMITS),
    reason: 'A disposable account of a rehearsal',
    version: 1,
    updated_by: 'platform',
  });
  await ctx
    .db('agents')
    .insert({ agent_id: agentId, name, owner_id: userId, kind: 'hosted', version: of.version, card: JSON.stringify(card), deploy_count: 1 });
  await ctx.db('receipt_chains').insert({ agent_id: agentId });
  await insertStagedDeployment(ctx, { userId, agent: { id: agentId, name }, deployId, of });
  const apiKey = randomBytes(32).toString('base64url');
  await ctx.db('instances').insert({
    instance_id: instanceId,
    deploy_id: deployId,
    agent_id: agentId,
    node: row.node,
    state: 'starting',
    api_key_sealed: await ctx.drivers.vault.seal(Buffer.from(apiKey), apiKeyContext(instanceId)),
  });
  await ctx.db('protocol_simulations').where({ job_id: row.job_id }).update({ stage_user_id: userId });
  return { userId, agentId, name, deployId, instanceId, apiKey, state: 'starting' };
}

/** Inserts a deployment without a build: it names the image of the rehearsed version. */
export async function insertStagedDeployment(
  ctx: TxCtx,
  {
    userId,
    agent,
    deployId,
    of,
  }: {
    userId: string;
    agent: { id: string; name: string };
    deployId: string;
    of: Pick<DeploymentsRow, 'version' | 'entrypoint' | 'manifest' | 'image' | 'card'>;
  },
): Promise<void> {
  const job_id = await createJob(ctx, { kind: 'deploy', title: 'Rehearsal', ownerId: userId, agent });
  await transitionJob(ctx.db, job_id, { from: ['queued'], to: 'succeeded' });
  await ctx.db('deployments').insert({
    deploy_id: deployId,
    agent_id: agent.id,
    number: 1,
    state: 'live',
    job_id,
    created_by: userId,
    version: of.version,
    entrypoint: of.entrypoint,
    manifest: JSON.stringify(stagedManifest(of.manifest)),
    // No source is its own: what removes an account's sources must find none here.
    source_key: 'purged',
    source_sha256: '0'.repeat(64),
    source_bytes: 0,
    image: of.image,
    card: JSON.stringify(of.card),
  });
}

/** Without what acts automatically: repairs, mail, funded calls, models. */
function stagedManifest(manifest: unknown): object {
  const { self_healing: _, account_access: __, mailbox: ___, models: ____, ...rest } = Object(manifest) as Record<string, unknown>;
  return rest;
}

async function stagedRows(ctx: Ctx, userId: string): Promise<StagedRows | undefined> {
  const instance = await ctx
    .db('instances as i')
    .join('agents as a', 'a.agent_id', 'i.agent_id')
    .where({ 'a.owner_id': userId })
    .whereNull('a.deleted_at')
    .first('a.agent_id', 'a.name', 'i.deploy_id', 'i.instance_id', 'i.api_key_sealed', 'i.state');
  if (!instance) return undefined;
  const apiKey = Buffer.from(await ctx.drivers.vault.open(instance.api_key_sealed, apiKeyContext(instance.instance_id))).toString();
  return {
    userId,
    agentId: instance.agent_id,
    name: instance.name,
    deployId: instance.deploy_id,
    instanceId: instance.instance_id,
    apiKey,
    state: instance.state,
  };
}

/** No network, no models, and only canaries as secrets: the code can do nothing outside its machine. */
async function startInput(ctx: Ctx, row: ProtocolSimulationsRow, of: DeploymentsRow, staged: StagedRows): Promise<StartInput> {
  const { resources } = checkCard(of.card ?? undefined, parseManifest(of.manifest));
  return {
    instance_id: staged.instanceId,
    agent: staged.name,
    deployment_id: staged.deployId,
    image: of.image ?? '',
    env: {
      SVC_AGENT_NAME: staged.name,
      SVC_DEPLOY_ID: staged.deployId,
      SVC_CP_URL: ctx.config.baseUrl,
      SVC_AGENTS_DOMAIN: ctx.config.agentsDomain,
    },
    secrets: await canaries(ctx, row),
    api_key: staged.apiKey,
    grant_key: Buffer.from(grantKeyOf(await ctx.drivers.vault.derive('grants'), staged.name)).toString('base64url'),
    setup_key: setupKeyOf(await ctx.drivers.vault.derive(SETUP_KEY), staged.name).toString('base64url'),
    resources,
    egress: { allow_hosts: [], allow_internal_services: [] },
  };
}

/** Under the names that the agent's own secrets have; their values are not opened. */
async function canaries(ctx: Ctx, row: ProtocolSimulationsRow): Promise<Record<string, string>> {
  const names = new Set(await secretNames(ctx.db, row));
  return Object.fromEntries(await Promise.all([...names].map(async (name) => [name, await canaryOf(ctx, row.job_id, name)] as const)));
}

export async function secretNames(db: Knex, { agent_id, deploy_id }: Pick<ProtocolSimulationsRow, 'agent_id' | 'deploy_id'>): Promise<string[]> {
  const set = await db('agent_secrets').where({ agent_id }).orderBy('name').pluck('name');
  const deployment = await db('deployments').where({ deploy_id }).first('card');
  const card = AgentCard.safeParse(deployment?.card);
  return [...new Set([...set, ...(card.success ? card.data.required_secrets : [])])];
}
