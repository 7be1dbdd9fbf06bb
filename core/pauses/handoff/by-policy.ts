// A call between agents, as the policies of the accounts behind it are asked about it.
import { type AgentRoute, isElsewhere } from '../../agents/route/resolve.ts';
import type { Ctx, RunActor, TxCtx, UserActor } from '../../kernel/ctx.ts';
import { accountsOf } from '../../policy/accounts.ts';
import { checkPolicy, type PolicyVerdict } from '../../policy/check.ts';
import { takeAgentCalls } from '../../policy/count.ts';
import { policyDenied } from '../../policy/deny.ts';
import type { Denial } from '../../policy/model.ts';

interface Handing {
  route: Pick<AgentRoute, 'agentName' | 'ownerId' | 'image' | 'visibility'>;
  skills: readonly string[];
}

export interface JudgedHandoff {
  /** Whose policies it is held to. */
  accounts: string[];
  verdict: PolicyVerdict;
}

/**
 * `ctx.db` may be a transaction. The actor delegates. Each of several skills is asked about: what is denied
 * to one is denied to all.
 */
export async function judgeHandoff(ctx: Ctx, { route, skills }: Handing): Promise<JudgedHandoff> {
  const accounts = await accountsOf(ctx.db, ctx.actor);
  const { agentName: agent, ownerId: owner } = route;
  const listed = route.visibility === 'public';
  let strictestVerdict: PolicyVerdict = { outcome: 'allow' };
  for (const skill of new Set(skills)) {
    const resource = { type: 'Skill' as const, agent, skill, owner, listed };
    const verdict = await checkPolicy(ctx, { action: 'handoff', accounts, resource, agent, leaves: isElsewhere(route) });
    if (verdict.outcome === 'deny') return { accounts, verdict };
    if (strictestVerdict.outcome === 'allow') strictestVerdict = verdict;
  }
  return { accounts, verdict: strictestVerdict };
}

/** For holdHandoff. */
export function askDenialOf(verdict: PolicyVerdict): { asked?: Denial } {
  return verdict.outcome === 'ask' ? { asked: verdict.denial } : {};
}

interface Starting {
  userId: string;
  skill: string;
  grantId?: string;
  parent?: RunActor;
  planId?: string;
}

/**
 * Of a durable run that a run or a plan starts; what a person, a schedule or a mail starts is the person's
 * own doing. Who asks a person, where a rule says so, has done it before. @throws Forbidden policy_denied
 */
export async function takeHandoff(ctx: TxCtx, i: Starting, by: RunActor | UserActor, route: AgentRoute): Promise<void> {
  if (i.parent === undefined && i.planId === undefined) return;
  const inner = { ...ctx, actor: by };
  const { accounts, verdict } = await judgeHandoff(inner, { route, skills: [i.skill] });
  if (verdict.outcome === 'deny') throw policyDenied(verdict.denial);
  const rootId = i.parent ? rootOf(i.parent) : (i.planId ?? '');
  await takeAgentCalls(inner, { accounts, rootId, agent: route.agentName, calls: 1 });
}

export function rootOf({ root_run_id, run_id }: RunActor): string {
  return root_run_id ?? run_id;
}
