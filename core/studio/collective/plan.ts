// A team is planned and frozen: who does what, in which order, for how much. Nothing is called.
import { canonicalSha256 } from '#contract/crypto/sha256.ts';
import type { TeamPlanIn, TeamPlanOut } from '#contract/studio/collective-runtime.ts';
import { BUDGET_CENTS, protocolOf, TEAM_PROTOCOLS } from '#contract/studio/team-protocols.ts';
import { knownOf } from '../../deploys/planner/known.ts';
import { act, done, together } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { requireUser } from '../../kernel/policy.ts';
import { storableJson } from '../../kernel/storable.ts';
import { agentContestant } from '../trial-room/run.ts';
import { type TeamCandidate, candidatesFor } from './candidates.ts';
import { pickTeam } from './pick.ts';
import { nodesOf, type TeamNode } from './steps.ts';

const PLAN_MS = 3_600_000;
const MOST_REPLANS = 5;

/** As it is kept. */
export interface TeamSpec {
  plan: Omit<TeamPlanOut, 'plan_id' | 'digest' | 'expires_at'>;
  nodes: TeamNode[];
}

/**
 * @throws NotFound agent_not_found, skill_not_found; Conflict agent_not_live, trial_skill_needed,
 * team_incomplete for a role that the protocol has not
 */
export async function planTeam(ctx: Ctx, i: TeamPlanIn): Promise<TeamPlanOut> {
  const { user_id } = requireUser(ctx, 'team.plan');
  const protocol = protocolOf(i.protocol);
  const named = await namedMembers(ctx, user_id, i, new Set(protocol.roles.map(({ role }) => role)));
  const { goal, risk, input_paths: files, inputs } = i;
  const candidates = await candidatesFor(ctx, user_id, { roles: protocol.roles, goal, risk, task: { goal, files, inputs } });
  const { members, missing } = pickTeam(protocol, candidates, named, i);
  const nodes = nodesOf(protocol, members, i);
  const plan: TeamSpec['plan'] = {
    protocol: i.protocol,
    goal: i.goal,
    members,
    missing,
    nodes: nodes.map(({ agent, skill, depends_on, team }, at) => ({ number: at + 1, step: team.step, role: team.role, agent, skill, depends_on, gate: team.gate, may_fail: team.mayFail })), // prettier-ignore
    budget_cents: BUDGET_CENTS[i.budget_class ?? protocol.budget_class],
    replans: Math.min(MOST_REPLANS, nodes.length),
    required_evidence: [...protocol.required_evidence],
  };
  const spec: TeamSpec = { plan, nodes };
  const digest = canonicalSha256(JSON.parse(storableJson(spec)));
  const [plan_id, now] = [newId('tpl', ctx.clock()), ctx.clock()];
  const expires = new Date(now + PLAN_MS);
  await act(ctx, 'team.plan', requireUser, async (ctx) => {
    await ctx
      .db('team_plans')
      .where({ owner_id: user_id })
      .where('expires_at', '<', new Date(now - PLAN_MS))
      .delete();
    await ctx.db('team_plans').insert({
      plan_id,
      owner_id: user_id,
      protocol: i.protocol,
      goal: i.goal,
      spec: storableJson(spec),
      digest,
      created_at: new Date(now),
      expires_at: expires,
    });
    return done({ team_plan: plan_id }, { protocol: i.protocol, digest, agents: [...new Set(members.map(({ agent }) => agent))] });
  });
  return { plan_id, digest, ...plan, expires_at: expires.toISOString() };
}

async function namedMembers(ctx: Ctx, accountId: string, i: TeamPlanIn, roles: ReadonlySet<string>): Promise<Map<string, TeamCandidate[]>> {
  const named = new Map<string, TeamCandidate[]>();
  for (const { role, agent, skill } of i.members) {
    if (!roles.has(role)) throw new Conflict('team_incomplete', `${i.protocol} has no role ${role}: its roles are ${[...roles].join(', ')}`);
    // agentContestant asks, and changes nothing.
    const contestant = await together(ctx, (ctx) => agentContestant(ctx.db, ctx.actor, { agent, skill }));
    const [known] = await knownOf(ctx, accountId, 'a.agent_id = :id', { id: contestant.agent_id ?? '' });
    if (!known) throw new Conflict('agent_not_live', `${agent} has no live deployment: deploy it first`);
    if (known.routing.routing_state === 'blocked') throw new Conflict('team_incomplete', `${agent} may not be called: ${known.routing.reason}`);
    named.set(role, [
      ...(named.get(role) ?? []),
      { agent, skill: contestant.skill ?? '', deploy_id: contestant.deploy_id ?? '', own: known.row.own, fit: 1, known },
    ]);
  }
  return named;
}

export function listProtocols(ctx: Ctx) {
  requireUser(ctx, 'team.read');
  return { items: TEAM_PROTOCOLS.map((one) => presentProtocol(one.protocol as TeamPlanIn['protocol'])) };
}

function presentProtocol(name: TeamPlanIn['protocol']) {
  const { protocol: _, roles, steps, required_evidence, ...rest } = protocolOf(name);
  return {
    protocol: name,
    ...rest,
    roles: roles.map(({ role, about, at_least, at_most, apart }) => ({ role, about, at_least, at_most, apart: apart === true })),
    steps: steps.map(({ step, role, after, each, may_fail, gate }) => ({
      step,
      role,
      after: [...after],
      each: each === true,
      may_fail: may_fail === true,
      gate: gate ?? null,
    })),
    required_evidence: [...required_evidence],
    budget_cents: BUDGET_CENTS[rest.budget_class],
  };
}
