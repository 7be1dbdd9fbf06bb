// The rows of model credentials: which one is meant, how it is shown, how its key is opened.
import type { Knex } from 'knex';
import { type LlmCredentialOut, LlmPrice, LlmProvider } from '#contract/money/llm-creds.ts';
import type { LlmCredentialsRow } from '#db/tables.ts';
import type { ModelTarget } from '#drivers/llm/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { modelOf } from './catalog.ts';
import type { Price } from './price.ts';

/** The user's credential of that name, or their default one. @throws Conflict no_model */
export async function credentialOf(db: Knex, userId: string, name: string | undefined): Promise<LlmCredentialsRow> {
  const row = await db('llm_credentials')
    .where({ user_id: userId, ...(name === undefined ? { is_default: true } : { name }) })
    .first();
  if (row) return row;
  const what = name === undefined ? 'This account has no language model' : `This account has no model credential "${name}"`;
  throw new Conflict('no_model', `${what}: add one with "svc models set" ("svc models catalog" lists the providers)`);
}

/** With its key: for the driver, and for nothing else. */
export async function targetOf({ drivers }: Ctx, row: LlmCredentialsRow, model: string): Promise<ModelTarget> {
  const key = row.key_sealed === null ? null : Buffer.from(await drivers.vault.open(row.key_sealed, keyContext(row.credential_id))).toString();
  return { protocol: row.protocol, baseUrl: row.base_url, apiKey: key, model };
}

export function keyContext(credentialId: string): string {
  return `llm_credentials:${credentialId}:key`;
}

/**
 * Undefined: unpriced. The owner's own price is for the credential's model, and goes before the catalog's.
 */
export function priceOf(row: Pick<LlmCredentialsRow, 'provider' | 'model' | 'prices'>, model: string): Price | undefined {
  const own = model === row.model ? ownPrice(row) : null;
  return own ?? modelOf(row.provider, model)?.price ?? undefined;
}

function ownPrice(row: Pick<LlmCredentialsRow, 'prices'>): LlmCredentialOut['price'] {
  return row.prices === null ? null : LlmPrice.parse(row.prices);
}

export interface Spending {
  month: string;
  spent_micros: number;
  reserved_micros: number;
}

export function presentCredential(row: LlmCredentialsRow, spending: Spending): LlmCredentialOut {
  const unchecked = row.check_state === 'unchecked';
  const works = row.check_state === 'works';
  return {
    name: row.name,
    provider: LlmProvider.parse(row.provider),
    base_url: row.base_url,
    model: row.model,
    priced: priceOf(row, row.model) !== undefined,
    price: ownPrice(row),
    has_key: row.key_sealed !== null,
    key_hint: row.key_hint,
    default: row.is_default,
    monthly_budget_micros: row.monthly_budget_micros,
    agent_run_budget_micros: row.agent_run_budget_micros,
    ...spending,
    check: {
      state: unchecked ? 'unchecked' : works ? 'works' : 'failed',
      code: unchecked || works ? null : row.check_state,
      message: row.check_message,
      at: row.checked_at?.toISOString() ?? null,
    },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** The month a moment is in, UTC: `2026-11`. Of the day's own text. */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

export async function spendingOf(db: Knex, credentialId: string, now: number): Promise<Spending> {
  const month = dayOf(now).slice(0, 7);
  const row = await db('llm_spending').where({ credential_id: credentialId, month }).first('spent_micros', 'reserved_micros');
  return { month, spent_micros: row?.spent_micros ?? 0, reserved_micros: row?.reserved_micros ?? 0 };
}
