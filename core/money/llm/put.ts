// Creates a model credential or replaces the one of that name.
import type { z } from 'zod';
import { type LlmCredentialIn, type LlmCredentialOut, MAX_LLM_CREDENTIALS } from '#contract/money/llm-creds.ts';
import type { LlmCredentialsRow } from '#db/tables.ts';
import { requireUser } from '../../kernel/policy.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, Invalid } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { presetOf } from './catalog.ts';
import { keyContext, presentCredential, priceOf, spendingOf } from './credential.ts';
import { probe } from './probe.ts';

type In = z.output<typeof LlmCredentialIn>;

/**
 * @throws Invalid (base_url, api_key, model, monthly_budget_micros, agent_run_budget_micros); Conflict
 * too_many_credentials
 */
export async function putCredential(ctx: Ctx, i: In): Promise<LlmCredentialOut> {
  const stored = await act(ctx, 'llm_credential.put', requireUser, async (ctx, { user_id }) => {
    const preset = presetOf(i.provider);
    const baseUrl = baseUrlOf(ctx, i);
    const model = i.model ?? preset.default_model ?? undefined;
    if (model === undefined) throw mistaken('model', `say which model: the catalog has no default for ${preset.title}`);
    for (const budget of ['monthly_budget_micros', 'agent_run_budget_micros'] as const) {
      if (i[budget] !== null && priceOf({ provider: i.provider, model, prices: i.price }, model) === undefined)
        throw mistaken(budget, `no price of ${model} is known: give "price" too, or no budget`);
    }
    const now = new Date(ctx.clock()).toISOString();
    // One at a time for each account: there is one default, and a bounded number.
    await ctx.db('users').where({ user_id }).forUpdate().first('user_id');
    const others = await ctx
      .db('llm_credentials')
      .where({ user_id })
      .select('name', 'is_default', 'credential_id', 'base_url', 'provider', 'key_sealed', 'key_hint');
    const old = others.find(({ name }) => name === i.name);
    if (!old && others.length >= MAX_LLM_CREDENTIALS) {
      throw new Conflict('too_many_credentials', `An account has at most ${MAX_LLM_CREDENTIALS} model credentials: delete one first`);
    }
    const id = old?.credential_id ?? newId('llc', ctx.clock());
    // The key stays only where it was: with a new address, the holder of a stolen session could have it sent
    // to them.
    const same = old !== undefined && old.base_url === baseUrl && old.provider === i.provider;
    const storedKey = i.api_key === undefined && same ? { key_sealed: old.key_sealed, key_hint: old.key_hint } : undefined;
    if (preset.needs_key && i.api_key === undefined && !storedKey?.key_sealed) throw mistaken('api_key', `${preset.title} needs a key`);
    const isDefault = i.default || old?.is_default === true || !others.some((other) => other.is_default);
    if (isDefault) await ctx.db('llm_credentials').where({ user_id, is_default: true }).update({ is_default: false });
    const row = {
      provider: i.provider,
      protocol: preset.protocol,
      base_url: baseUrl,
      model,
      ...(storedKey ?? (await encryptKey(ctx, id, i.api_key))),
      is_default: isDefault,
      monthly_budget_micros: i.monthly_budget_micros,
      agent_run_budget_micros: i.agent_run_budget_micros,
      prices: i.price === null ? null : JSON.stringify(i.price),
      check_state: 'unchecked',
      check_message: null,
      checked_at: null,
      updated_at: now,
    };
    const [written] = await ctx
      .db('llm_credentials')
      .insert({ credential_id: id, user_id, name: i.name, created_at: now, ...row })
      .onConflict(['user_id', 'name'])
      .merge(row)
      .returning('*');
    if (!written) throw new Error('the credential was not written');
    const replaced = old !== undefined;
    return done({ llm_credential: id }, { name: i.name, provider: i.provider, base_url: baseUrl, model, replaced }, written);
  });
  const row: LlmCredentialsRow = i.probe ? await probe(ctx, stored) : stored;
  return presentCredential(row, await spendingOf(ctx.db, row.credential_id, ctx.clock()));
}

function baseUrlOf(ctx: Ctx, i: In): string {
  const preset = presetOf(i.provider);
  const own = i.base_url?.replace(/\/+$/, '');
  const fixed = preset.base_url !== null && preset.needs_key;
  if (fixed && own !== undefined && own !== preset.base_url) {
    throw mistaken('base_url', `${preset.title} is at ${preset.base_url}: for another address use provider ${preset.protocol}_compatible`);
  }
  const baseUrl = own ?? preset.base_url;
  if (baseUrl === null) throw mistaken('base_url', 'say where the endpoint is, with the version: https://models.example.com/v1');
  const problem = ctx.drivers.llm.checkAddress(baseUrl);
  if (problem !== undefined) throw mistaken('base_url', `an endpoint's address ${problem}`);
  return baseUrl;
}

async function encryptKey({ drivers }: Ctx, id: string, key: string | undefined): Promise<{ key_sealed: string | null; key_hint: string }> {
  if (key === undefined) return { key_sealed: null, key_hint: '' };
  // Of a short key four characters would be too much of it.
  return { key_sealed: await drivers.vault.seal(Buffer.from(key), keyContext(id)), key_hint: key.length < 20 ? '' : key.slice(-4) };
}

function mistaken(field: string, message: string): Invalid {
  return new Invalid([{ path: ['body', field], message }]);
}
