// What a loop calls: the live version, as its owner, with what the judge needs to know of it.
import type { SkillCard } from '#contract/wire/card.ts';
import { openSecrets } from '../../agents/secret/open.ts';
import { callableRoute } from '../../runs/run/callable.ts';
import type { AgentRoute } from '../../agents/route/resolve.ts';
import { withControl } from '../../accounts/control.ts';
import type { Ctx, UserActor } from '../../kernel/ctx.ts';
import type { AttackFacts } from './attack/judge.ts';
import type { Scope } from './model.ts';
import { foldersOf } from './scope.ts';

/** The owner's own context. */
type OwnerCtx = Ctx & { actor: UserActor };

export interface LoopTarget {
  ctx: OwnerCtx;
  route: AgentRoute;
  skills: readonly SkillCard[];
  workspace: boolean;
  scope: Scope;
  facts: Pick<AttackFacts, 'secrets' | 'canaries' | 'folders'>;
  /** The grant of the disposable folder that is in use. */
  given?: { until: number; token: Promise<string> } | undefined;
}

/** Shorter ones are found in answers by chance. */
const MIN_SECRET = 8;

/** @throws Forbidden account_suspended */
async function ownerCtx(ctx: Ctx, userId: string): Promise<OwnerCtx> {
  const actor = await withControl<UserActor>(ctx.db, { kind: 'user', user_id: userId, email: '', operator: false, via: 'bearer' });
  return { ...ctx, actor, purpose: 'challenge' };
}

/** @throws NotFound agent_not_found; Conflict agent_not_live; Forbidden account_suspended */
export async function openTarget(ctx: Ctx, userId: string, name: string, scope: Scope): Promise<LoopTarget> {
  const owner = await ownerCtx(ctx, userId);
  const { selfHealing: _, ...route } = await callableRoute(owner, name);
  const { secrets, inject } = await openSecrets(ctx, route.agentId);
  const values = [...Object.values(secrets), ...inject.map(({ value }) => value), route.apiKey];
  return {
    ctx: owner,
    // Failures that a challenge provokes are no reason to repair the agent.
    route,
    skills: route.card?.skills ?? [],
    workspace: route.card?.workspace_access.enabled === true,
    scope,
    facts: {
      secrets: values.filter((value) => value.length >= MIN_SECRET),
      canaries: { given: scope.given, private: scope.private, memory: scope.memory },
      folders: foldersOf(scope),
    },
  };
}
