// Model grants: keys by which an agent asks its caller's language model for as long as the caller's run
// lasts.
import { z } from 'zod';
import { group } from '../kit.ts';
import { Instant } from '../shared.ts';
import { MAX_MODEL_PATTERNS, ModelBudget, ModelPattern, ModelRate } from '../wire/model-use.ts';

/** Seconds. */
const MODEL_GRANT_TTL = { default: 900, most: 3_600 } as const;

export const LlmGrantIn = z
  .strictObject({
    run_token: z
      .string()
      .min(1)
      .max(8_192)
      .meta({ description: 'The run credential that came with the call (x-svc-run-token): it names agent, run and caller, and proves that the run is open.' }),
    models: z.array(ModelPattern).min(1).max(MAX_MODEL_PATTERNS).optional().meta({ description: 'The only models; absent: those that the agent declares.' }),
    budget_micros: ModelBudget.meta({ description: 'Micro-dollars that the key may spend, within what the run may.' }),
    requests_per_minute: ModelRate.default(60),
    tokens_per_minute: ModelRate.default(1_000_000),
    ttl_seconds: z.int().min(1).max(MODEL_GRANT_TTL.most).default(MODEL_GRANT_TTL.default),
  })
  .meta({ id: 'LlmGrantIn' });

export const LlmGrantOut = z
  .strictObject({
    grant_id: z.string(),
    key: z.string().meta({ description: 'Shown this once; the API key of OpenAI and Anthropic clients.' }),
    openai_base_url: z.string(),
    anthropic_base_url: z.string(),
    agent: z.string(),
    run_id: z.string(),
    models: z.array(z.string()).nullable().meta({ description: 'null: every model of the credential.' }),
    budget_micros: z.int(),
    requests_per_minute: z.int(),
    tokens_per_minute: z.int(),
    expires_at: Instant.meta({ description: 'Or when the run ends, if that is sooner.' }),
  })
  .meta({ id: 'LlmGrantOut' });

export const llmGrants = group({
  createLlmGrant: {
    at: 'POST /v1/platform/llm-grant',
    summary: "Make a key by which an agent uses its caller's language model during a run",
    description:
      "For an agent that declares models paid by its caller. The caller has allowed it with agent_run_budget_micros of a model credential. The key opens the model gateway, within its models, budget and rates, until it expires or the run ends; the provider's own key is never part of an answer.",
    scope: 'platform',
    body: LlmGrantIn,
    out: LlmGrantOut,
    status: 201,
    errors: [401, 403, 409],
  },
});
