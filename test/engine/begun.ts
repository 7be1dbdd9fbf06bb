// How work of each workflow type begins, as rows have it, and what its record says at its end.
import type { Knex } from 'knex';
import { createJob } from '#core/jobs/create.ts';
import type { TxCtx } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { inTx } from '#core/kernel/tx.ts';
import { startWorkflow } from '#core/outbox/messages.ts';
import { createPlan } from '#core/conversation/plan/create.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { addAgent, addUser } from '../support/verbs.ts';

export interface Begun {
  type: string;
  workflow_id: string;
  /** Its job ends with a fault; absent: it starts again. */
  job_id?: string;
}

interface Place {
  tx: Knex.Transaction;
  ctx: TxCtx;
  owner: string;
  agent: string;
  deploy_id: string;
}

/** The record of a job, and the input of its workflow. */
type Write = (of: Place & { job_id: string; id: string; at: Date; later: Date }) => Promise<{ input: object; job?: object }>;

const json = JSON.stringify;
const hash = '0'.repeat(64);

const JOBS: Readonly<Record<string, { kind: string; write: Write }>> = {
  deployAgent: {
    kind: 'deploy',
    write: async ({ tx, owner, job_id, id }) => {
      const agent = await addAgent(tx, owner);
      const source = { entrypoint: 'agent:Agent', manifest: '{}', source_key: 'sources/x', source_sha256: hash, source_bytes: 1 };
      await tx('deployments').insert({ deploy_id: id, agent_id: agent.id, number: 1, state: 'queued', job_id, created_by: owner, ...source });
      return { input: { deploy_id: id } };
    },
  },
  reviewAgent: {
    kind: 'review',
    write: async ({ tx, agent, deploy_id, job_id, id }) => {
      await tx('review_runs').insert({ review_id: id, agent_id: agent, deploy_id, job_id, state: 'queued' });
      return { input: { review_id: id } };
    },
  },
  selfHeal: {
    kind: 'heal',
    write: async ({ tx, owner, job_id, id }) => {
      const { id: agent_id } = await addAgent(tx, owner, { live: true });
      const { live_deploy_id } = (await tx('agents').where({ agent_id }).first('live_deploy_id')) ?? {};
      await tx('agent_repairs').insert({ repair_id: id, agent_id, deploy_id: live_deploy_id ?? '', job_id, source_sha256: hash, policy: '{}', error: '{}', state: 'queued' }); // prettier-ignore
      return { input: { repair_id: id, over_limit: false, timeout_seconds: 60 } };
    },
  },
  runSkill: {
    kind: 'run',
    write: async ({ tx, owner, agent, deploy_id, job_id, id, at }) => {
      const caller = { user_id: owner, caller_kind: 'user', caller_id: owner };
      await tx('runs').insert({ run_id: id, agent_id: agent, agent_name: 'agent', deploy_id, skill: 'work', ...caller, depth: 1, chain: ['agent/work'], job_id, kind: 'started', state: 'queued', args: '{}', input_sha256: hash, started_at: at }); // prettier-ignore
      return { input: { run_id: id }, job: { run_id: id } };
    },
  },
  proveSkill: {
    kind: 'proof',
    write: async ({ tx, owner, agent, deploy_id, job_id, id, later }) => {
      const asked = { run_by: 'owner', published: false, skill_name: 'work', args: '{}', input_sha256: hash, args_case: 'given' } as const;
      await tx('agent_proofs').insert({ proof_id: id, agent_id: agent, agent_name: 'agent', owner_id: owner, deploy_id, version: '1.0.0', ...asked, deadline_at: later, deadline_seconds: 3_600, budget_micros: 0, job_id, status: 'running', card_hash: hash }); // prettier-ignore
      return { input: { proof_id: id } };
    },
  },
  reviewLoop: {
    kind: 'adversarial_review_loop',
    write: async ({ tx, owner, job_id, at, later }) => {
      const { id: agent_id } = await addAgent(tx, owner, { live: true });
      const { live_deploy_id } = (await tx('agents').where({ agent_id }).first('live_deploy_id')) ?? {};
      const spec = { skills: [], seed: 1, iterations: 1, deadline_seconds: 3_600 };
      await tx('review_loops').insert({ job_id, agent_id, deploy_id: live_deploy_id ?? '', owner_id: owner, spec: json(spec), deadline_at: later, created_at: at }); // prettier-ignore
      return { input: { job_id, deadline_ms: 3_600_000 } };
    },
  },
  kernelRun: {
    kind: 'kernel_simulation',
    write: async ({ tx, owner, job_id, later }) => {
      const world = { kind: 'simulation', world: 'market', execution_mode: 'bounded', seed: 1, engine: 'test' } as const;
      await tx('kernel_runs').insert({ job_id, owner_id: owner, ...world, spec: '{}', input: '{}', total: 1, most_calls: 0, budget_cents: 0, deadline_at: later }); // prettier-ignore
      return { input: { job_id, deadline_at: later.getTime() } };
    },
  },
  rehearse: {
    kind: 'protocol_simulation',
    write: async ({ tx, owner, agent, deploy_id, job_id, at, later }) => {
      const protocol = { protocol_id: 'core', protocol_version: '1.0.0', display_name: 'Core', suite: '{}', suite_digest: hash, seed: 1 };
      const limits = { run_budget_cents: 0, budget_ceiling_cents: 0, ttl_seconds: 3_600, max_episodes: 1 };
      await tx('protocol_simulations').insert({ job_id, agent_id: agent, owner_id: owner, deploy_id, ...protocol, ...limits, deadline_at: later, node: 'local', created_at: at }); // prettier-ignore
      return { input: { job_id } };
    },
  },
  studioRun: {
    kind: 'studio',
    write: async ({ tx, owner, job_id, id, at, later }) => {
      const brief = json({ goal: 'Greets people.', name: 'greeter', inputs: {} });
      await tx('studio_plans').insert({ plan_id: id, owner_id: owner, brief, brief_sha256: hash, decision: 'build_new', reason: '', candidates: '[]', recipes: '[]', created_at: at, expires_at: later }); // prettier-ignore
      await tx('studio_runs').insert({ run_id: id, owner_id: owner, plan_id: id, job_id, brief, decision: 'build_new', agents: [], state: 'queued', deadline_at: later, created_at: at }); // prettier-ignore
      return { input: { job_id, deadline_at: later.getTime() } };
    },
  },
  trialRun: {
    kind: 'trial',
    write: async ({ tx, owner, job_id, id, at, later }) => {
      await tx('trial_rooms').insert({ room_id: id, owner_id: owner, slug: id, title: 'Room', spec: '{}', on_deploy: false, created_at: at });
      await tx('trial_runs').insert({ run_id: id, room_id: id, owner_id: owner, number: 1, job_id, model: 'some-model', trigger: 'person', deadline_at: later, created_at: at }); // prettier-ignore
      return { input: { job_id, deadline_at: later.getTime() } };
    },
  },
  complianceExport: {
    kind: 'compliance_export',
    write: async ({ tx, ctx, job_id, id, at, later }) => {
      const range = { from_at: at, to_at: at, kinds: [], max_records: 1 };
      await tx('compliance_exports').insert({
        export_id: id,
        organization_id: await organization({ ...ctx, db: tx }),
        job_id,
        ...range,
        deadline_at: later,
        created_at: at,
      });
      return { input: { export_id: id, deadline_at: later.getTime() } };
    },
  },
  complianceRetention: {
    kind: 'compliance_purge',
    write: async ({ tx, ctx, job_id, id, at }) => {
      await tx('compliance_purges').insert({ purge_id: id, organization_id: await organization({ ...ctx, db: tx }), job_id, before: at, created_at: at });
      return { input: { purge_id: id } };
    },
  },
  purgeAccounts: { kind: 'purge', write: async ({ job_id }) => ({ input: { job_id } }) },
};

/** Of these no record but their own rows says that they are under way: they start again. */
const OTHERS = {
  retireAgent: 'agent_id',
  provisionDatabase: 'branch_id',
  dropDatabase: 'project_id',
  rotateDatabase: 'login_id',
  provisionMailbox: 'mailbox_id',
  deliverMail: 'mail_id',
  sendMail: 'mail_id',
  verifyDomain: 'domain_id',
  renewCertificate: 'domain_id',
} as const;

/** One of each type that is not begun by a verb of its own below. */
export async function beginAll(ctx: Ctx): Promise<Begun[]> {
  const owner = await addUser(ctx.db);
  return inTx(ctx, async (ctx) => {
    const { id: agent } = await addAgent(ctx.db, owner, { live: true });
    const row = await ctx.db('agents').where({ agent_id: agent }).first('live_deploy_id');
    const place: Place = { tx: ctx.db, ctx, owner, agent, deploy_id: row?.live_deploy_id ?? '' };
    const begun: Begun[] = [];
    for (const type of Object.keys(JOBS)) begun.push(await beginJob(place, type));
    for (const [type, name] of Object.entries(OTHERS)) {
      const workflow_id = `${type}:${newId('req')}`;
      await begin(place, type, workflow_id, { [name]: workflow_id, ...(type === 'dropDatabase' && { branch_id: null }) });
      begun.push({ type, workflow_id });
    }
    const plan = await createPlan(ctx, { ownerId: owner, threadId: null, title: 'Plan', planner: 'model', nodes: [] });
    return [...begun, { type: 'dagRun', workflow_id: `dag:${plan.dag_run_id}`, job_id: plan.job_id }];
  });
}

async function beginJob(place: Place, type: string): Promise<Begun> {
  const { tx, ctx, owner } = place;
  const { kind, write } = JOBS[type] ?? { kind: type, write: () => Promise.reject(new Error(`no job of ${type}`)) };
  const [id, at] = [newId('req'), new Date(ctx.clock())];
  // A run is found by the name of its workflow.
  const workflow_id = `${type === 'runSkill' ? 'run' : type}:${id}`;
  const job_id = await createJob({ ...ctx, db: tx }, { kind, title: type, ownerId: owner, workflowId: workflow_id });
  const { input, job } = await write({ ...place, job_id, id, at, later: new Date(at.getTime() + 3_600_000) });
  if (job)
    await tx('jobs')
      .where({ job_id })
      .update({ input: json(job) });
  await begin(place, type, workflow_id, input);
  return { type, workflow_id, job_id };
}

async function begin({ tx, ctx, owner }: Place, type: string, workflowId: string, input: object): Promise<void> {
  await startWorkflow({ ...ctx, db: tx }, { type, workflowId, taskQueue: 'control', args: [input], searchAttributes: { SvcKind: 'unknown', SvcOwner: owner } });
}

async function organization(ctx: TxCtx): Promise<string> {
  const organization_id = await addUser(ctx.db);
  await ctx.db('organizations').insert({ organization_id, slug: organization_id.toLowerCase(), name: 'Team', created_at: new Date(ctx.clock()) });
  return organization_id;
}
