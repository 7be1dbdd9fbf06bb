// Model credentials under test: a vendor on this machine, and contexts that may call it.
import { languageModels } from '#drivers/llm/models.ts';
import { startVendor, type Vendor } from '#drivers/llm/test/vendor.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import type { putCredential } from '../put.ts';

export interface ModelWorld {
  t: TestContext;
  vendor: Vendor;
  user(name?: string): Promise<TestUser>;
  close(): Promise<void>;
}

export async function modelWorld(): Promise<ModelWorld> {
  const [t, vendor] = await Promise.all([testContext(), startVendor()]);
  const llm = languageModels({ localHosts: [vendor.host], silenceMs: 10_000 });
  return {
    t,
    vendor,
    user: async (name) => {
      const user = await t.user(name);
      return { ...user, drivers: { ...user.drivers, llm } };
    },
    close: async () => {
      await llm.close();
      await vendor.close();
      await t.close();
    },
  };
}

export const KEY = 'sk-secret-0123456789abcdefghij';

/** One dollar for a million tokens in, ten cents cached, ten dollars out. */
export const PRICE = { input_micros_per_mtok: 1_000_000, cached_input_micros_per_mtok: 100_000, output_micros_per_mtok: 10_000_000 };

type In = Parameters<typeof putCredential>[1];

export const credential = (vendor: Vendor, more: Partial<In> = {}): In => ({
  name: 'main',
  provider: 'openai_compatible',
  api_key: KEY,
  base_url: vendor.url,
  model: 'm-1',
  default: false,
  monthly_budget_micros: null,
  agent_run_budget_micros: null,
  price: PRICE,
  probe: false,
  ...more,
});

export async function spent(ctx: Ctx, userId: string): Promise<{ spent_micros: number; reserved_micros: number }> {
  const { rows } = await ctx.db.raw<{ rows: { spent_micros: number; reserved_micros: number }[] }>(
    `select coalesce(sum(spent_micros), 0)::bigint as spent_micros, coalesce(sum(reserved_micros), 0)::bigint as reserved_micros
     from llm_spending join llm_credentials using (credential_id) where user_id = ?`,
    [userId],
  );
  return rows[0] ?? { spent_micros: 0, reserved_micros: 0 };
}
