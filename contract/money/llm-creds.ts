// A person's own ways to language models: keys, endpoints, budgets. Keys go in and never come out.
import { z } from 'zod';
import { group } from '../kit.ts';
import { Instant } from '../shared.ts';
import { CREDENTIAL_CHECK_STATES, MODEL_PROTOCOLS } from '../states.ts';

/** Of model credentials an account may have. */
export const MAX_LLM_CREDENTIALS = 50;

export const LlmProvider = z
  .enum(['openai', 'anthropic', 'mistral', 'deepseek', 'groq', 'openrouter', 'ollama', 'openai_compatible', 'anthropic_compatible'])
  .meta({ id: 'LlmProvider', description: 'A preset of the catalog; the *_compatible ones are for endpoints of your own.' });

const micros = z.int().min(0).max(1_000_000_000);

/** Micro-dollars (millionths of a US dollar) for a million tokens: 4 dollars are 4000000. */
export const LlmPrice = z
  .strictObject({
    input_micros_per_mtok: micros,
    cached_input_micros_per_mtok: micros.optional().meta({ description: 'Read from the cache; absent: as any input.' }),
    cache_write_micros_per_mtok: micros.optional().meta({ description: 'Written to the cache; absent: as any input.' }),
    output_micros_per_mtok: micros,
  })
  .meta({ id: 'LlmPrice', description: 'Micro-dollars (millionths of a US dollar) for a million tokens.' });

export const LlmModelPrice = LlmPrice.extend({
  long_input: LlmPrice.extend({ above_tokens: z.int().min(1) })
    .optional()
    .meta({ description: 'What holds for the whole request when its input is longer.' }),
}).meta({ id: 'LlmModelPrice' });

const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'use 1 to 64 lower-case letters, digits, ".", "_" and "-"')
  .meta({ description: "One of the account's own; creating replaces by name.", examples: ['main'] });
const model = z
  .string()
  .regex(/^[!-~]{1,200}$/, 'is not a model id')
  .meta({ description: 'The name that the provider uses.' });
const budget = z.int().min(0).max(1_000_000_000_000).meta({ description: 'Micro-dollars in a calendar month (UTC). A call that could exceed it is refused.' });

export const LlmCredentialIn = z
  .strictObject({
    name,
    provider: LlmProvider,
    api_key: z
      .string()
      .regex(/^[!-~]{1,1024}$/, 'is not a key: it has spaces, or is too long')
      .optional()
      .meta({
        description: 'Left out when replacing: the stored key stays, as long as provider and address are the same.',
        examples: ['sk-example-0123456789'],
      }),
    base_url: z.string().max(500).optional().meta({ description: 'Address of an endpoint of your own, with the version: https://models.example.com/v1' }),
    model: model.optional().meta({ description: 'Used where no other model is named. Absent: the model of the preset.' }),
    default: z.boolean().default(false).meta({ description: "Used where no credential is named. The account's first credential is always the default." }),
    monthly_budget_micros: budget.nullable().default(null),
    agent_run_budget_micros: budget.nullable().default(null).meta({
      description: "Micro-dollars that one run of another user's agent may spend when you call it; null: agents of other users do not use the credential.",
    }),
    price: LlmPrice.nullable()
      .default(null)
      .meta({ description: "Your own price of the credential's model; needed for a budget on a model that the catalog has no price of." }),
    probe: z.boolean().default(false).meta({ description: 'Ask the model for one word, to see whether the key works. It is counted like any use.' }),
  })
  .meta({ id: 'LlmCredentialIn', examples: [{ name: 'main', provider: 'openai', api_key: 'sk-example-0123456789' }] });

export const LlmCredentialOut = z
  .strictObject({
    name: z.string(),
    provider: LlmProvider,
    base_url: z.string(),
    model: z.string(),
    priced: z.boolean().meta({ description: 'Whether use of its model has a price; otherwise cost_micros is null there.' }),
    price: LlmPrice.nullable().meta({ description: "The account's own price." }),
    has_key: z.boolean(),
    key_hint: z.string().meta({ description: 'The last four characters; empty for short keys.' }),
    default: z.boolean(),
    monthly_budget_micros: z.int().nullable(),
    agent_run_budget_micros: z.int().nullable(),
    month: z.string().meta({ description: 'The month that spent and reserved are of: 2026-11.' }),
    spent_micros: z.int().min(0),
    reserved_micros: z.int().min(0).meta({ description: 'What calls under way may still cost.' }),
    check: z.strictObject({
      state: z.enum(CREDENTIAL_CHECK_STATES),
      code: z.string().nullable(),
      message: z.string().nullable().meta({ description: 'What to do next, when it failed.' }),
      at: Instant.nullable(),
    }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'LlmCredentialOut' });
export type LlmCredentialOut = z.infer<typeof LlmCredentialOut>;

export const LlmCatalogOut = z
  .strictObject({
    items: z.array(
      z.strictObject({
        provider: LlmProvider,
        title: z.string(),
        protocol: z.enum(MODEL_PROTOCOLS).meta({ description: 'What its endpoint speaks.' }),
        base_url: z.string().nullable().meta({ description: 'null: you name it.' }),
        needs_key: z.boolean(),
        default_model: z.string().nullable(),
        models: z.array(
          z.strictObject({
            model: z.string(),
            context_tokens: z.int().nullable(),
            max_output_tokens: z.int().nullable(),
            price: LlmModelPrice.nullable().meta({ description: 'null: unpriced; give your own.' }),
            as_of: z.string().meta({ description: 'When the provider said so: 2026-10-24.' }),
          }),
        ),
      }),
    ),
  })
  .meta({ id: 'LlmCatalogOut' });
export type LlmCatalogOut = z.infer<typeof LlmCatalogOut>;

export const llmCreds = group({
  list: {
    at: 'GET /v1/me/llm-creds',
    summary: "The account's model credentials, by name, with what they cost this month",
    description: `All of them: an account has at most ${MAX_LLM_CREDENTIALS}.`,
    scope: 'account',
    out: z.strictObject({ items: z.array(LlmCredentialOut) }).meta({ id: 'LlmCredentialListOut' }),
    errors: [401, 403],
  },
  put: {
    at: 'POST /v1/me/llm-creds',
    summary: 'Create or replace a model credential',
    description: 'The key is sealed and never shown again. With `probe`, `check` of the answer reports whether it works.',
    scope: 'account',
    body: LlmCredentialIn,
    out: LlmCredentialOut,
    errors: [401, 403, 409, 429],
    limit: 'create',
  },
  catalog: {
    at: 'GET /v1/me/llm-creds/catalog',
    summary: 'Providers, their models and prices, as this installation knows them',
    scope: 'account',
    out: LlmCatalogOut,
    errors: [401, 403],
  },
  remove: {
    at: 'DELETE /v1/me/llm-creds/{name}',
    summary: 'Delete a model credential; what it was used for stays in the usage',
    scope: 'account',
    params: z.object({ name }),
    status: 204,
    errors: [401, 403, 404],
  },
});
