// Makes a model grant: a key by which an agent asks its caller's language model while the caller's run lasts.
import type { z } from 'zod';
import type { LlmGrantIn, LlmGrantOut } from '#contract/platform/llm-grants.ts';
import { MODEL_BASE_PATHS, MODEL_KEY_PREFIX } from '#contract/wire/model-use.ts';
import { MODEL_PROTOCOLS } from '#contract/states.ts';
import { declaredTerms } from '../../money/gateway/terms.ts';
import { modelPayer } from '../../money/gateway/payer.ts';
import { act, done } from '../../kernel/act.ts';
import { withControl } from '../../accounts/control.ts';
import type { Ctx, RunActor } from '../../kernel/ctx.ts';
import { Conflict, DomainError, Forbidden } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { type Action, may } from '../../kernel/policy.ts';
import { hashSecret, newSecret } from '../../kernel/secret.ts';
import { runActor } from '../run/authenticate.ts';

/** Open ones of one run. */
const MAX_OPEN = 20;

/**
 * The run credential proves that its caller is calling this agent now: a stolen platform token is not enough
 * to open a model.
 * @throws Forbidden wrong_scope, models_not_declared, account_suspended; Unauthorized run_credential_invalid;
 * Conflict models_not_allowed, too_many_model_grants
 */
export async function createLlmGrant(ctx: Ctx, i: z.output<typeof LlmGrantIn>): Promise<z.infer<typeof LlmGrantOut>> {
  requireService(ctx, 'llm_grant.create');
  const { db, drivers, clock, config } = ctx;
  const run = await runActor({ db, vault: drivers.vault, clock }, i.run_token);
  await withControl(db, run);
  const user = await lender(ctx, run);
  const key = `${MODEL_KEY_PREFIX}${newSecret()}`;
  const now = clock();
  const grant_id = newId('llg', now);
  const expires = new Date(now + i.ttl_seconds * 1000);
  await act(ctx, 'llm_grant.create', requireService, async (ctx) => {
    // Of grants that are made at the same time all are counted.
    await ctx.db.raw('select pg_advisory_xact_lock(hashtext(?))', [`svc.llm_grants:${run.run_id}`]);
    const [open] = await ctx.db('llm_grants').where({ run_id: run.run_id }).where('expires_at', '>', new Date(now)).count<{ count: number }[]>();
    if (Number(open?.count ?? 0) >= MAX_OPEN)
      throw new Conflict('too_many_model_grants', `A run has at most ${MAX_OPEN} model grants at a time: use one of them, or let them expire`);
    await ctx.db('llm_grants').insert({
      grant_id,
      key_hash: hashSecret(key),
      user_id: user,
      agent_id: run.agent_id,
      run_id: run.run_id,
      run: JSON.stringify(run),
      models: i.models ?? null,
      budget_micros: i.budget_micros,
      requests_per_minute: i.requests_per_minute,
      tokens_per_minute: i.tokens_per_minute,
      created_at: new Date(now),
      expires_at: expires,
    });
    const bounds = { models: i.models ?? null, budget_micros: i.budget_micros };
    return done({ llm_grant: grant_id }, { user_id: user, agent: run.agent_name, run_id: run.run_id, ...bounds });
  });
  return {
    grant_id,
    key,
    openai_base_url: config.baseUrl + MODEL_BASE_PATHS.openai,
    anthropic_base_url: config.baseUrl + MODEL_BASE_PATHS.anthropic,
    agent: run.agent_name,
    run_id: run.run_id,
    models: i.models ?? null,
    budget_micros: i.budget_micros,
    requests_per_minute: i.requests_per_minute,
    tokens_per_minute: i.tokens_per_minute,
    expires_at: expires.toISOString(),
  };
}

function requireService({ actor }: Pick<Ctx, 'actor'>, action: Action): void {
  if (!may(actor, action, { owner: null })) throw new Forbidden('wrong_scope', 'Only a service of the platform makes model grants');
}

/** Whose model it is: the caller, who allowed it. */
async function lender(ctx: Ctx, run: RunActor): Promise<string> {
  const terms = await declaredTerms(ctx, run);
  if (terms.paid_by === 'owner')
    throw new Forbidden('models_not_declared', `${run.agent_name} declares that its owner pays for its models: a model grant is for agents whose callers pay`);
  let missing: DomainError | undefined;
  for (const protocol of MODEL_PROTOCOLS) {
    try {
      const { credential } = await modelPayer(ctx, { run, terms: { ...terms, paid_by: 'caller' }, protocol, grant: undefined });
      return credential.user_id;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      missing = error;
    }
  }
  throw missing ?? new Error('there is a wire');
}
