// Whose credential a run's request uses, and what bounds it there.
import { modelMatches, type ModelTerms } from '#contract/wire/model-use.ts';
import type { LlmCredentialsRow } from '#db/tables.ts';
import type { ModelProtocol } from '#drivers/llm/port.ts';
import type { Ctx, RunActor } from '../../kernel/ctx.ts';
import { Conflict, Forbidden } from '../../kernel/errors.ts';
import type { Cap, Rate } from '../llm/limits.ts';

/** A model grant narrows what its run may. */
export interface GrantLimits {
  grant_id: string;
  models: readonly string[] | null;
  budget_micros: number;
  requests_per_minute: number;
  tokens_per_minute: number;
}

export interface Payer {
  credential: LlmCredentialsRow;
  /** The agent's owner did not add the credential: what lies at the provider under it is not the agent's. */
  foreign: boolean;
  caps: Cap[];
  rates: Rate[];
  /** Each list allows some models; the run may use those that all allow. */
  allowed: (readonly string[])[];
}

const NO_RATE = 1_000_000_000;

/** @throws Conflict models_not_allowed, no_model */
export async function modelPayer(
  ctx: Pick<Ctx, 'db'>,
  { run, terms, protocol, grant }: { run: RunActor; terms: ModelTerms; protocol: ModelProtocol; grant: GrantLimits | undefined },
): Promise<Payer> {
  const { credential, foreign } = await credentialFor(ctx, run, terms, protocol);
  const user = credential.user_id;
  const caps: Cap[] = [];
  if (terms.run_budget_micros !== undefined)
    caps.push({ id: `run:${run.run_id}:${user}`, limitMicros: terms.run_budget_micros, whose: "the run's budget (models.run_budget_micros in svc.yaml)" });
  // Agents that the agent calls, with the same caller behind them, spend of the same.
  if (foreign)
    caps.push({
      id: `caller:${run.root_run_id ?? run.run_id}:${user}`,
      limitMicros: credential.agent_run_budget_micros ?? 0,
      whose: "what the caller lets others' agents spend in a run (svc models set --agent-run-budget)",
    });
  const rates: Rate[] = [];
  if (terms.requests_per_minute !== undefined || terms.tokens_per_minute !== undefined)
    rates.push({ id: `agent:${run.agent_id}:${user}`, requests: terms.requests_per_minute ?? NO_RATE, tokens: terms.tokens_per_minute ?? NO_RATE });
  if (grant) {
    caps.push({ id: grant.grant_id, limitMicros: grant.budget_micros, whose: "the model grant's budget" });
    rates.push({ id: grant.grant_id, requests: grant.requests_per_minute, tokens: grant.tokens_per_minute });
  }
  const allowed = [terms.allow, grant?.models].filter((list) => list !== undefined && list !== null);
  return { credential, foreign, caps, rates, allowed };
}

export function isModelAllowed({ allowed }: Pick<Payer, 'allowed'>, model: string): boolean {
  return allowed.every((patterns) => patterns.some((pattern) => modelMatches(pattern, model)));
}

/** @throws Forbidden model_not_allowed */
export function requireAllowed(payer: Pick<Payer, 'allowed'>, model: string): void {
  if (isModelAllowed(payer, model)) return;
  throw new Forbidden(
    'model_not_allowed',
    `This run may not use ${model}, but only ${payer.allowed.map((patterns) => patterns.join(', ')).join('; of these ')}`,
  );
}

type PayingCredential = Pick<Payer, 'credential' | 'foreign'>;

async function credentialFor({ db }: Pick<Ctx, 'db'>, run: RunActor, terms: ModelTerms, protocol: ModelProtocol): Promise<PayingCredential> {
  const owners = async (): Promise<PayingCredential> => {
    const ownerCredential = await speaking(run.owner_id, terms.credential === undefined ? {} : { name: terms.credential });
    if (ownerCredential) return { credential: ownerCredential, foreign: false };
    const which = terms.credential === undefined ? 'no model credential' : `no model credential "${terms.credential}"`;
    throw new Conflict('no_model', `The owner of ${run.agent_name} has ${which} that speaks the wire of ${protocol}: add one with "svc models set"`);
  };
  if (terms.paid_by === 'owner' || run.user_id === run.owner_id) return owners();
  const callers = run.user_id === null ? undefined : await speaking(run.user_id, {}, true);
  if (callers) return { credential: callers, foreign: true };
  if (terms.paid_by === 'caller_or_owner') return owners();
  throw new Conflict(
    'models_not_allowed',
    run.user_id === null
      ? `The caller of ${run.agent_name} pays for its models, and this caller has no account: call it signed in`
      : `The caller of ${run.agent_name} lets no agent of others use a model credential that speaks the wire of ${protocol}: they allow it with "svc models set NAME --agent-run-budget DOLLARS"`,
  );

  function speaking(userId: string, named: { name?: string }, lent = false): Promise<LlmCredentialsRow | undefined> {
    const rows = db('llm_credentials').where({ user_id: userId, protocol, ...named });
    if (lent) rows.whereNotNull('agent_run_budget_micros');
    return rows.orderBy([{ column: 'is_default', order: 'desc' }, { column: 'name' }]).first();
  }
}
