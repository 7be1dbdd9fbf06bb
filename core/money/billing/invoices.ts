import type { z } from 'zod';
import type { InvoiceListOut, InvoiceOut } from '#contract/money/billing.ts';
import type { InvoicesRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { newestPage } from '../../kernel/keyset.ts';
import { requireUser } from '../../kernel/policy.ts';
import type { UsageLine } from './usage.ts';

/** Newest first. */
export async function listInvoices(ctx: Ctx, i: { limit: number; cursor?: string | undefined }): Promise<z.infer<typeof InvoiceListOut>> {
  const { user_id } = requireUser(ctx, 'billing.read');
  const query = ctx.db('invoices').where({ user_id }).select<InvoicesRow[]>('*');
  return newestPage(query, ['created_at', 'invoice_id'], i, present);
}

function present(row: InvoicesRow): z.infer<typeof InvoiceOut> {
  const { invoice_id, kind, number, state, amount_micros, tax_micros, paid_micros, url, pdf_url } = row;
  const [period_start, period_end, created_at] = [row.period_start.toISOString(), row.period_end.toISOString(), row.created_at.toISOString()];
  return { invoice_id, kind, number, state, amount_micros, tax_micros, paid_micros, lines: linesOf(row), period_start, period_end, created_at, url, pdf_url };
}

// Safe: only followInvoice and writeUsageInvoices write this column, with such lines.
function linesOf({ lines }: InvoicesRow): UsageLine[] {
  return lines as UsageLine[];
}
