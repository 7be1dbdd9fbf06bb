// What the fields of a model credential hold, and what that says to the API.
import type { Input, Output } from '../../api/client.ts';
import { amount, microsOf } from '../../kit/dollars.ts';

type Credential = Output<'llmCreds', 'list'>['items'][number];
type Body = NonNullable<Input<'llmCreds', 'put'>['body']>;

export interface Draft {
  name: string;
  provider: Body['provider'];
  baseUrl: string;
  key: string;
  model: string;
  budget: string;
  runBudget: string;
  isDefault: boolean;
  probe: boolean;
}

/** Dollars. */
const MAX_BUDGET = 1_000_000;

export function draftOf(credential: Credential | undefined, providers: readonly { provider: Body['provider']; base_url: string | null }[]): Draft {
  const provider = credential?.provider ?? providers[0]?.provider ?? 'openai';
  const isOwnAddress = providers.find((one) => one.provider === provider)?.base_url === null;
  return {
    name: credential?.name ?? 'main',
    provider,
    baseUrl: isOwnAddress ? (credential?.base_url ?? '') : '',
    key: '',
    model: credential?.model ?? '',
    budget: amount(credential?.monthly_budget_micros ?? null),
    runBudget: amount(credential?.agent_run_budget_micros ?? null),
    isDefault: credential?.default ?? false,
    probe: true,
  };
}

export type DraftFaults = Partial<Record<'name' | 'baseUrl' | 'key' | 'model' | 'budget' | 'runBudget', string>>;

export function faultsOf(draft: Draft, { needsKey, needsAddress, hasKey }: { needsKey: boolean; needsAddress: boolean; hasKey: boolean }): DraftFaults {
  const money = (text: string): string | undefined =>
    text.trim() === '' || microsOf(text, MAX_BUDGET) !== undefined ? undefined : 'Write dollars with at most six digits after a point: 5 or 2.50.';
  const all: DraftFaults = {
    name: /^[a-z0-9][a-z0-9._-]{0,63}$/.test(draft.name) ? undefined : 'Use 1 to 64 lower-case letters, digits, ".", "_" and "-".',
    baseUrl: needsAddress && !/^https?:\/\//.test(draft.baseUrl) ? 'Write the address of the endpoint: https://models.example.com/v1' : undefined,
    key: needsKey && !hasKey && draft.key.trim() === '' ? 'This provider needs a key.' : undefined,
    model: needsAddress && draft.model.trim() === '' ? 'Name the model of your endpoint.' : undefined,
    budget: money(draft.budget),
    runBudget: money(draft.runBudget),
  };
  return Object.fromEntries(Object.entries(all).filter(([, fault]) => fault !== undefined));
}

/** A draft without faults. What has no field stays as it is. */
export function inputOf(draft: Draft, before: Credential | undefined): Body {
  const micros = (text: string): number | null => microsOf(text, MAX_BUDGET) ?? null;
  const isSameModel = before?.model === draft.model.trim() && before.provider === draft.provider;
  return {
    name: draft.name,
    provider: draft.provider,
    ...(draft.baseUrl.trim() !== '' && { base_url: draft.baseUrl.trim() }),
    ...(draft.key.trim() !== '' && { api_key: draft.key.trim() }),
    ...(draft.model.trim() !== '' && { model: draft.model.trim() }),
    default: draft.isDefault,
    monthly_budget_micros: micros(draft.budget),
    agent_run_budget_micros: micros(draft.runBudget),
    price: isSameModel ? before.price : null,
    probe: draft.probe,
  };
}
