// One answer of the account's language model for a run of the studio, within what is left of its budget.
import { MICROS_OF_A_CENT } from '#contract/money/dollars.ts';
import type { StudioRunsRow } from '#db/tables.ts';
import type { ModelAnswer, ModelMessage, ModelTool } from '#drivers/llm/port.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { PaymentRequired } from '../../../kernel/errors.ts';
import { credentialOf, priceOf } from '../../../money/llm/credential.ts';
import { generateAnswer } from '../../../money/llm/generate.ts';
import { costMicros, highTokens } from '../../../money/llm/price.ts';
import { briefIn } from '../row.ts';
import { studioRunSpending } from '../spent.ts';

const MOST_TOKENS = 16_000;
/** A shorter answer holds no source. */
const LEAST_TOKENS = 1_000;
const TIMEOUT_MS = 300_000;

/** @throws PaymentRequired studio_over_budget, before anything is asked; what generate throws */
export async function askStudioModel(
  ctx: Ctx,
  run: StudioRunsRow,
  i: { messages: readonly ModelMessage[]; tools: readonly ModelTool[]; signal: AbortSignal },
): Promise<ModelAnswer> {
  const { model, budget_cents, name } = briefIn(run);
  const credential = await credentialOf(ctx.db, run.owner_id, model?.credential);
  const left = budget_cents * MICROS_OF_A_CENT - (await studioRunSpending(ctx.db, run.run_id));
  const price = priceOf(credential, run.model ?? credential.model);
  // As it is reserved: the most that the question costs, then as much answer as the rest pays.
  const inputTokens = highTokens(Buffer.byteLength(JSON.stringify([i.messages, i.tools])));
  const costOf = (outputTokens: number): number =>
    price === undefined ? Infinity : costMicros(price, { inputTokens, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens });
  let tokens = MOST_TOKENS;
  while (tokens >= LEAST_TOKENS && costOf(tokens) > left) tokens = Math.floor(tokens * 0.8);
  if (tokens < LEAST_TOKENS)
    throw new PaymentRequired(
      'studio_over_budget',
      `${(left / MICROS_OF_A_CENT).toFixed(1)} cents of the budget of ${budget_cents} are left, which do not pay another answer`,
    );
  return generateAnswer(ctx, {
    userId: run.owner_id,
    purpose: 'studio',
    credential: model?.credential,
    model: run.model ?? undefined,
    runId: run.run_id,
    agentName: name,
    temperature: 0,
    maxOutputTokens: tokens,
    toolChoice: 'required',
    timeoutMs: TIMEOUT_MS,
    ...i,
    signal: AbortSignal.any([i.signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
}
