// What an agent declares of the language models that its runs ask through the model gateway (models of
// svc.yaml).
import { z } from 'zod';
import { MODEL_PAYERS, type MODEL_PROTOCOLS } from '../states.ts';
import { SkillName } from './names.ts';

/** Where the gateway is at the platform's address; the wire and its own path follow. */
export const MODEL_GATEWAY_PATH = '/llm/';
/**
 * What programs of each wire take as their base URL, below the platform's address. OpenAI's adds
 * `/chat/completions`, Anthropic's `/v1/messages`.
 */
export const MODEL_BASE_PATHS = { openai: '/llm/openai/v1', anthropic: '/llm/anthropic' } as const;
export type ModelProtocol = (typeof MODEL_PROTOCOLS)[number];
/** Names the model that `ctx.llm` asks where the author names none, in an agent's environment. */
export const DEFAULT_MODEL_VARIABLE = 'SVC_MODEL';
/** Names the model that `ctx.llm.embed` asks where the author names none. */
export const EMBEDDING_MODEL_VARIABLE = 'SVC_EMBEDDING_MODEL';
/** Texts that one `ctx.llm.embed` takes. */
export const MAX_EMBEDDED_TEXTS = 256;
/**
 * What an agent's clients find as their API key: the runtime puts the credential of the run at work beside
 * it.
 */
const NO_KEY = 'the-run-credential-is-sent-with-each-request';

/** The providers' own addresses, and the variables by which their clients find address and key. */
export const MODEL_PROVIDERS = {
  openai: { url: 'https://api.openai.com/v1', baseUrl: 'OPENAI_BASE_URL', key: 'OPENAI_API_KEY' },
  anthropic: { url: 'https://api.anthropic.com', baseUrl: 'ANTHROPIC_BASE_URL', key: 'ANTHROPIC_API_KEY' },
} as const satisfies Record<ModelProtocol, object>;

/**
 * By which OpenAI's and Anthropic's clients find the gateway. A variable of the same name that the owner
 * stored goes before it.
 */
export function modelEnvironment(platformUrl: string): Record<string, string> {
  return {
    OPENAI_BASE_URL: platformUrl + MODEL_BASE_PATHS.openai,
    OPENAI_API_KEY: NO_KEY,
    ANTHROPIC_BASE_URL: platformUrl + MODEL_BASE_PATHS.anthropic,
    ANTHROPIC_API_KEY: NO_KEY,
    // LiteLLM asks the Internet for its prices at each start, for seconds where it may not; the gateway
    // counts by its own.
    LITELLM_LOCAL_MODEL_COST_MAP: 'True',
  };
}

/** The models that svc.yaml names, in an agent's environment. */
export function namedModels(models: Pick<ModelUse, 'default' | 'embedding'> | undefined): Record<string, string> {
  return {
    ...(models?.default !== undefined && { [DEFAULT_MODEL_VARIABLE]: models.default }),
    ...(models?.embedding !== undefined && { [EMBEDDING_MODEL_VARIABLE]: models.embedding }),
  };
}

/** Begins every key of a model grant. */
export const MODEL_KEY_PREFIX = 'svc_llm_';

/** A model's id, or the start of one and "*". */
export const ModelPattern = z
  .string()
  .regex(/^[!-)+-~]{0,199}(?:[!-)+-~]|\*)$/, 'is not a model id; "*" may stand only at the end')
  .meta({ examples: ['gpt-5.5', 'claude-*'] });
export const MAX_MODEL_PATTERNS = 50;

const ModelId = z.string().regex(/^[!-)+-~]{1,200}$/, 'is no model id');

/** Micro-dollars: 1 dollar is 1000000. */
export const ModelBudget = z.int().min(0).max(1_000_000_000_000);
export const ModelRate = z.int().min(1).max(1_000_000_000);

const terms = {
  paid_by: z.enum(MODEL_PAYERS),
  allow: z.array(ModelPattern).min(1).max(MAX_MODEL_PATTERNS).meta({ description: 'The only models; absent: every model of the credential.' }),
  run_budget_micros: ModelBudget.meta({ description: 'Micro-dollars that one run may spend.' }),
};

export const ModelUse = z
  .strictObject({
    default: ModelId.optional().meta({ description: 'The model that ctx.llm asks where the author names none.' }),
    embedding: ModelId.optional().meta({ description: 'The model that ctx.llm.embed asks where the author names none.' }),
    paid_by: terms.paid_by.default('owner'),
    credential: z
      .string()
      .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'is not the name of a model credential')
      .optional()
      .meta({ description: "Name of the owner's credential; absent: the one that speaks the wire, the default before others." }),
    allow: terms.allow.optional(),
    run_budget_micros: terms.run_budget_micros.optional(),
    requests_per_minute: ModelRate.optional().meta({ description: 'Limit over all runs of the agent that one account pays for.' }),
    tokens_per_minute: ModelRate.optional().meta({ description: 'Counted by what requests may use at most.' }),
    retries: z
      .int()
      .min(0)
      .max(5)
      .optional()
      .meta({ description: 'How often a request is sent again that the endpoint could not take (408, 429, 5xx, no answer); absent: never.' }),
    fallbacks: z
      .record(ModelPattern, z.array(ModelId).min(1).max(5))
      .optional()
      .meta({ description: 'By model: further models of the same credential, asked in turn after a failure.' }),
    skills: z
      .record(
        SkillName,
        z.strictObject({ paid_by: terms.paid_by.optional(), allow: terms.allow.optional(), run_budget_micros: terms.run_budget_micros.optional() }),
      )
      .optional()
      .meta({ description: 'What is different for a skill.' }),
  })
  .refine((use) => use.default === undefined || (use.allow ?? ['*']).some((pattern) => modelMatches(pattern, use.default ?? '')), {
    path: ['default'],
    message: 'is none of the models that "allow" names',
  })
  .meta({ id: 'ModelUse' });
export type ModelUse = z.infer<typeof ModelUse>;
/** Of one skill. */
export type ModelTerms = Omit<ModelUse, 'skills'>;

export function termsOf({ skills = {}, ...common }: ModelUse, skill: string): ModelTerms {
  const own = Object.hasOwn(skills, skill) ? skills[skill] : undefined;
  return { ...common, ...own, paid_by: own?.paid_by ?? common.paid_by };
}

export function modelMatches(pattern: string, model: string): boolean {
  return pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : pattern === model;
}
