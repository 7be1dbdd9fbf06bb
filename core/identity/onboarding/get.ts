import type { Knex } from 'knex';
import type { z } from 'zod';
import { ONBOARDING_STEPS, type OnboardingOut, TOUR_TOTAL } from '#contract/identity/onboarding.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireUser } from '../../kernel/policy.ts';

export async function getOnboarding(ctx: Ctx): Promise<z.infer<typeof OnboardingOut>> {
  const { user_id } = requireUser(ctx, 'onboarding.read');
  return presentOnboarding(ctx.db, user_id);
}

export async function presentOnboarding(db: Knex, user_id: string): Promise<z.infer<typeof OnboardingOut>> {
  const [facts, row] = [await factsOf(db, user_id), await db('onboarding').where({ user_id }).first()];
  const times = ONBOARDING_STEPS.map((step) => facts[step]);
  const last = times.every((at) => at !== null) ? times.reduce((latest, at) => (at > latest ? at : latest)) : null;
  return {
    current_step: ONBOARDING_STEPS.find((step) => facts[step] === null) ?? null,
    steps: ONBOARDING_STEPS.map((step) => ({ step, completed_at: facts[step]?.toISOString() ?? null })),
    completed_at: last?.toISOString() ?? null,
    tour_index: row?.tour_index ?? 0,
    tour_total: TOUR_TOTAL,
    dismissed_at: row?.dismissed_at?.toISOString() ?? null,
  };
}

type Facts = Record<(typeof ONBOARDING_STEPS)[number], Date | null>;

/** When each came true first, of what is there now. */
async function factsOf(db: Knex, user: string): Promise<Facts> {
  // The first call by way of the agents called: the index has a user's receipts by agent, so that no user's
  // millions are read.
  const { rows } = await db.raw<{ rows: Facts[] }>(
    `with recursive called (agent_id) as (
       (select agent_id from receipts where caller_user_id = :user order by agent_id limit 1)
       union all
       select (select r.agent_id from receipts r where r.caller_user_id = :user and r.agent_id > called.agent_id order by r.agent_id limit 1)
       from called where called.agent_id is not null
     )
     select (select min(created_at) from llm_credentials where user_id = :user) as model_key,
       (select min(created_at) from agents where owner_id = :user and deleted_at is null) as first_agent,
       (select min(first.created_at) from called cross join lateral (
          select r.created_at from receipts r
          where r.caller_user_id = :user and r.agent_id = called.agent_id and r.status = 'ok' and r.source = 'platform'
          order by r.created_at limit 1) first) as first_call`,
    { user },
  );
  return rows[0] ?? { model_key: null, first_agent: null, first_call: null };
}
