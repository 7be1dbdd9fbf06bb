// What `svc models set` stores: the named options, and the rest of an existing credential unchanged. The API
// replaces a credential as a whole: sending only a new model would lose the budget.
import { ApiError } from '#contract/client.ts';
import { type LlmCatalogOut, LlmCredentialIn, type LlmCredentialOut, type LlmPrice } from '#contract/money/llm-creds.ts';
import type { z } from 'zod';
import type { Api } from '../../lib/api.ts';
import { CliError, UsageError } from '../../lib/errors.ts';

type Provider = LlmCatalogOut['items'][number];
type Body = z.input<typeof LlmCredentialIn>;
type Price = z.infer<typeof LlmPrice>;

export interface Named {
  name: string;
  provider: string | undefined;
  baseUrl: string | undefined;
  model: string | undefined;
  /** null: none any more. */
  budget: number | null | undefined;
  /** null: agents of others do not use it any more. */
  agentRunBudget: number | null | undefined;
  price: Price | undefined;
  default: boolean;
  probe: boolean;
}

export interface Wish {
  /** Without the key. */
  body: Body;
  provider: Provider;
  /** What has that name now. */
  old: LlmCredentialOut | undefined;
  key: 'kept' | 'needed' | 'none';
}

/** @throws UsageError */
export async function wishOf(client: Api, named: Named): Promise<Wish> {
  const [{ items }, { items: providers }] = await Promise.all([client.llmCreds.list(), client.llmCreds.catalog()]);
  const old = items.find(({ name }) => name === named.name);
  const provider = providerOf(providers, named.provider ?? old?.provider);
  const address = addressOf(provider, named, old);
  const before = old?.provider === provider.provider ? old : undefined;
  const model = named.model ?? before?.model ?? provider.default_model;
  if (model === null) throw new UsageError(`Name a model with --model ID: ${provider.provider} has no default model here.`);
  const price = named.price ?? (before?.model === model ? before.price : null);
  const budget = named.budget === undefined ? (old?.monthly_budget_micros ?? null) : named.budget;
  const agentRunBudget = named.agentRunBudget === undefined ? (old?.agent_run_budget_micros ?? null) : named.agentRunBudget;
  const known = price !== null || provider.models.some((one) => one.model === model && one.price !== null);
  if ((budget !== null || agentRunBudget !== null) && !known) {
    throw new UsageError(
      `The price of ${model} is unknown, so a budget cannot be enforced: give its price with --price-in and --price-out (dollars for a million tokens), or --no-budget and --no-agent-run-budget.`,
    );
  }
  const body = checked({
    name: named.name,
    provider: provider.provider,
    base_url: address,
    model,
    default: named.default,
    monthly_budget_micros: budget,
    agent_run_budget_micros: agentRunBudget,
    price,
    probe: named.probe,
  });
  // With another address it does not stay: that is the API's rule.
  const reusesKey = before?.has_key === true && before.base_url === address;
  return { body, provider, old, key: reusesKey ? 'kept' : provider.needs_key ? 'needed' : 'none' };
}

function providerOf(providers: readonly Provider[], name: string | undefined): Provider {
  const catalogEntry = providers.find(({ provider }) => provider === name);
  const known = `One of ${providers.map(({ provider }) => provider).join(', ')}; more on them: svc models catalog`;
  if (!catalogEntry) throw new UsageError(name === undefined ? `Say whose model it is, with --provider. ${known}` : `There is no provider "${name}". ${known}`);
  return catalogEntry;
}

/** Providers with a key always use the address of the catalog. */
function addressOf({ provider, base_url: usual, needs_key: needsKey }: Provider, named: Named, old: LlmCredentialOut | undefined): string {
  const before = old?.provider === provider && !(needsKey && usual !== null) ? old.base_url : undefined;
  const address = named.baseUrl?.replace(/\/+$/, '') ?? before ?? usual;
  if (address === null) throw new UsageError('Say where the endpoint is, with its version: --base-url https://models.example.com/v1');
  return address;
}

/** Checks the input by the contract before the command asks for a key. @throws UsageError */
export function checked(body: Body): Body {
  const read = LlmCredentialIn.safeParse(body);
  if (read.success) return body;
  throw new UsageError(mistakes(read.error.issues));
}

/** Refusals name what was typed. @throws CliError */
export async function store(client: Api, body: Body): Promise<LlmCredentialOut> {
  try {
    return await client.llmCreds.put({ body });
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_input' && error.detail.issues) {
      throw new CliError(mistakes(error.detail.issues.map(({ path, message }) => ({ path: path.slice(1), message }))));
    }
    throw error;
  }
}

const WORDS: Record<string, string> = {
  name: 'NAME',
  api_key: 'the key',
  base_url: 'the address (--base-url)',
  model: '--model',
  monthly_budget_micros: '--budget',
  agent_run_budget_micros: '--agent-run-budget',
  price: '--price-in, --price-out',
};

function mistakes(issues: readonly { path: readonly PropertyKey[]; message: string }[]): string {
  return issues.map(({ path: [field], message }) => `${WORDS[String(field)] ?? String(field)}: ${message}`).join('\n');
}
