// Begins a proof: its case, its grant, its job and its run, in one transaction. The run goes the way of every
// durable run.
import type { Knex } from 'knex';
import { canonicalSha256 } from '#contract/crypto/sha256.ts';
import type { ProofDetailOut, ProofRunIn } from '#contract/quality/agent-proofs.ts';
import { AgentCard, type SkillCard } from '#contract/wire/card.ts';
import type { DeploymentsRow } from '#db/tables.ts';
import { agentFor } from '../../agents/agent/find.ts';
import type { AgentView } from '../../agents/agent/select.ts';
import { getProof } from '../../evidence/proof/read.ts';
import { appendEvents } from '../../jobs/append-event.ts';
import { beginWork, markRunning, requirePlaces } from '../../jobs/long-work.ts';
import { act, recorded, unchanged } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx, TxCtx, UserActor } from '../../kernel/ctx.ts';
import { Conflict, Forbidden, NotFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { lockName } from '../../kernel/lock-name.ts';
import { requireUser } from '../../kernel/policy.ts';
import { setting } from '../../kernel/settings.ts';
import { storable, storableJson } from '../../kernel/storable.ts';
import { mintGrant } from '../../workspace/grant/mint.ts';
import { startRun } from '../../runs/durable/start.ts';
import { hashOf } from '../../runs/run/hash.ts';
import { chooseCase } from './case.ts';
import { requireReadable } from './properties.ts';

export interface RunProofIn extends ProofRunIn {
  name: string;
  /** The same key of the same user gives the same proof. */
  key: string | undefined;
}

/**
 * A grant is valid for this much longer than its run's deadline: the end of a cancelled run still reads it.
 */
const GRANT_MARGIN_SECONDS = 120;

export function workflowOfProof(proofId: string): string {
  return `proof:${proofId}`;
}

/** The folder of the runner's files that a proof writes into. */
function folderOfProof(proofId: string): string {
  return `proofs/${proofId}`;
}

/**
 * @throws NotFound agent_not_found, skill_not_found; Conflict agent_not_live, proof_no_case, proof_no_files,
 * too_many_proofs; Forbidden proof_not_by_owner; BadRequest proof_property_invalid; and as startRun does
 */
export async function runProof(ctx: Ctx, i: RunProofIn): Promise<ProofDetailOut> {
  const user = requireUser(ctx, 'proof.run');
  await requireReadable(user.user_id, i.properties);
  const proof_id = await act(ctx, 'proof.run', requireUser, async (ctx, user) => {
    const known = await sameKey(ctx.db, user, i);
    return known === undefined ? recorded(await begin(ctx, user, i)) : unchanged(known);
  });
  return getProof(ctx, { proof_id });
}

async function begin(ctx: TxCtx, user: UserActor, i: RunProofIn): Promise<string> {
  const agent = await agentFor(ctx.db, ctx.actor, 'proof.run', i.name);
  await requireRoom(ctx.db, user.user_id);
  const isOwner = agent.owner_id === user.user_id;
  if (i.publish === true && !isOwner)
    throw new Forbidden('proof_not_by_owner', `Only the owner of ${agent.name} publishes proofs of it: run yours without publishing`);
  const { deployment, card, skill } = await liveSkill(ctx.db, agent, i.skill_name);
  const chosen = await chooseCase({ name: `${agent.name}.${skill.id}`, author: agent.owner_id, schema: skill.input_schema, args: i.args, seed: i.seed });
  const proof_id = newId('prf', ctx.clock());
  const workflowId = workflowOfProof(proof_id);
  const grant = await grantFor(ctx, { proofId: proof_id, userId: user.user_id, agent: agent.name, card, files: i.files, seconds: i.deadline_seconds });
  const job_id = await beginWork(ctx, {
    kind: 'proof',
    title: `Proof: ${agent.name}.${skill.id}`,
    ownerId: user.user_id,
    agent: { id: agent.agent_id, name: agent.name },
    workflowId,
    workflow: { type: 'proveSkill', input: () => ({ proof_id }) },
    input: { proof_id, agent: agent.name, skill: skill.id, deadline_seconds: i.deadline_seconds, budget_micros: i.budget_micros },
    ...(i.key === undefined ? {} : { idempotencyKey: i.key }),
  });
  const { run_id } = await startRun(ctx, {
    userId: user.user_id,
    agent: agent.name,
    skill: skill.id,
    args: chosen.args,
    argsAt: ['body', 'args'],
    grantId: grant.grant_id,
    parentJobId: job_id,
    purpose: 'proof',
    title: `Proof: ${agent.name}.${skill.id}`,
    idempotencyKey: workflowId,
  });
  // It ends with its run.
  await ctx.db('grants').where({ grant_id: grant.grant_id }).update({ run_id });
  const input_sha256 = hashOf(storable(chosen.args)) ?? '';
  const now = ctx.clock();
  await ctx.db('agent_proofs').insert({
    proof_id,
    agent_id: agent.agent_id,
    agent_name: agent.name,
    owner_id: user.user_id,
    run_by: isOwner ? 'owner' : 'caller',
    published: i.publish ?? (isOwner && agent.visibility === 'public' && i.args === undefined && i.files.length === 0),
    deploy_id: deployment.deploy_id,
    version: deployment.version ?? '',
    skill_name: skill.id,
    args: storableJson(chosen.args),
    input_sha256,
    args_case: chosen.from,
    seed: chosen.seed,
    properties: storableJson(i.properties),
    deadline_at: new Date(now + i.deadline_seconds * 1000),
    deadline_seconds: i.deadline_seconds,
    budget_micros: i.budget_micros,
    grant_id: grant.grant_id,
    run_id,
    job_id,
    status: 'running',
    card_hash: canonicalSha256(deployment.card),
    head_sha: deployment.source_commit,
    image: deployment.image,
    created_at: new Date(now),
  });
  await markRunning(ctx.db, job_id);
  await appendEvents(ctx.db, job_id, [
    { kind: 'proof.case', payload: { from: chosen.from, seed: chosen.seed, input_sha256 } },
    { kind: 'proof.run', payload: { run_id, grant_id: grant.grant_id, deploy_id: deployment.deploy_id } },
  ]);
  await audit(ctx, 'proof.run', { proof: proof_id }, { agent: agent.name, skill: skill.id, run_id, job_id });
  return proof_id;
}

/** Two requests at once are handled one after the other: the second finds the proof of the first. */
async function sameKey(tx: Knex.Transaction, { user_id }: UserActor, i: RunProofIn): Promise<string | undefined> {
  if (i.key === undefined) return undefined;
  await lockName(tx, `proof/${user_id}/${i.key}`);
  const job = await tx('jobs').where({ owner_id: user_id, kind: 'proof', idempotency_key: i.key }).first('job_id');
  const known = job && (await tx('agent_proofs').where({ job_id: job.job_id }).first('proof_id', 'agent_name', 'skill_name'));
  if (!known) return undefined;
  if (known.agent_name !== i.name || known.skill_name !== i.skill_name)
    throw new Conflict('idempotency_key_reused', 'This idempotency key began a proof of another skill: use a new key for each proof');
  return known.proof_id;
}

async function requireRoom(tx: Knex.Transaction, userId: string): Promise<void> {
  const most = await setting(tx, 'proofs_at_once');
  const full = () => new Conflict('too_many_proofs', `${most} proofs of yours are under way: wait for some to end, or cancel them`);
  await requirePlaces(tx, { ownerId: userId, kinds: ['proof'], most }, full);
}

interface LiveSkill {
  deployment: Pick<DeploymentsRow, 'deploy_id' | 'version' | 'image' | 'source_commit' | 'card'>;
  card: AgentCard;
  skill: SkillCard;
}

async function liveSkill(tx: Knex.Transaction, agent: AgentView, name: string): Promise<LiveSkill> {
  const deployment =
    agent.live_deploy_id === null
      ? undefined
      : await tx('deployments').where({ deploy_id: agent.live_deploy_id }).first('deploy_id', 'version', 'image', 'source_commit', 'card');
  const card = AgentCard.safeParse(deployment?.card);
  if (!deployment || !card.success) throw new Conflict('agent_not_live', `${agent.name} has no live deployment with a card: deploy it first`);
  const skill = card.data.skills.find(({ id }) => id === name);
  if (!skill) throw new NotFound('skill_not_found', `${agent.name} has no skill ${name}; it has ${card.data.skills.slice(0, 20).map(({ id }) => id).join(', ')}`); // prettier-ignore
  return { deployment, card: card.data, skill };
}

interface GrantFor {
  proofId: string;
  userId: string;
  agent: string;
  card: AgentCard;
  files: readonly string[];
  seconds: number;
}

/** An agent that does not work with files gets a grant for none. @throws Conflict proof_no_files */
async function grantFor(ctx: TxCtx, { proofId, userId, agent, card, files, seconds }: GrantFor): Promise<{ grant_id: string }> {
  const { enabled, allowed_modes, deny_patterns } = card.workspace_access;
  if (files.length > 0 && !enabled) throw new Conflict('proof_no_files', `${agent} does not work with files: run the proof without them`);
  const mayWrite = enabled && allowed_modes.includes('read_write_overlay');
  const folder = folderOfProof(proofId);
  const { grant } = await mintGrant(ctx, {
    userId,
    audience: agent,
    allow: enabled ? [...files, `${folder}/**`] : [],
    deny: deny_patterns,
    mode: mayWrite ? 'read_write_overlay' : 'read_only',
    outputsPrefix: mayWrite ? folder : null,
    ttlSeconds: seconds + GRANT_MARGIN_SECONDS,
    reason: `proof ${proofId}`,
  });
  return grant;
}
