// One answer of a person's own language model: their credential, their budget, counted whatever becomes of
// it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { LlmCredentialsRow } from '#db/tables.ts';
import { collect } from '#drivers/llm/collect.ts';
import { type ModelAnswer, ModelError, type ModelMessage, type ModelPart, type ModelRequest, type ModelTool, type ModelUsage } from '#drivers/llm/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { isPiiSafe } from '../../policy/check.ts';
import { redactValue } from '../../policy/redact.ts';
import { modelOf } from './catalog.ts';
import { credentialOf, priceOf, targetOf } from './credential.ts';
import { modelFailure } from './failure.ts';
import { reserve, settleUsage } from './meter.ts';
import { costMicros, highTokens, likelyTokens, type Price } from './price.ts';

export interface GenerateIn {
  userId: string;
  /** What for, a word of ours: chat, plan, … Shown in the usage. */
  purpose: string;
  messages: readonly ModelMessage[];
  tools?: readonly ModelTool[] | undefined;
  toolChoice?: 'auto' | 'none' | 'required' | undefined;
  /** Default: the credential's. */
  model?: string | undefined;
  /** Name of a credential; default: the user's default one. */
  credential?: string | undefined;
  /** Default 4096. */
  maxOutputTokens?: number | undefined;
  temperature?: number | undefined;
  signal: AbortSignal;
  timeoutMs?: number | undefined;
  /** On whose account within the platform; for the usage. */
  agentName?: string | undefined;
  runId?: string | undefined;
  threadId?: string | undefined;
}

const DEFAULT_OUTPUT_TOKENS = 4096;

/** What would answer; undefined where the user has no model. */
export async function modelFor(ctx: Ctx, userId: string): Promise<{ credential: string; provider: string; model: string } | undefined> {
  const row = await ctx.db('llm_credentials').where({ user_id: userId, is_default: true }).first('name', 'provider', 'model');
  return row && { credential: row.name, provider: row.provider, model: row.model };
}

/** The whole answer; the rest is said at `generate`. */
export async function generateAnswer(ctx: Ctx, i: GenerateIn): Promise<ModelAnswer> {
  return collect(generate(ctx, i));
}

/**
 * Text as it comes, tool calls whole, `end` last. Not inside a transaction: it takes as long as a model
 * takes. Leaving the iteration ends the request; what was said until then is counted.
 * @throws Conflict no_model, unpriced_model, model_key_refused, model_not_found, cancelled; PaymentRequired
 * llm_budget_exceeded; TooManyRequests model_rate_limited; PayloadTooLarge model_context_length; Unavailable
 * model_overloaded; GatewayTimeout model_timeout; BadGateway model_unreachable, model_bad_answer,
 * model_refused_request
 */
export async function* generate(ctx: Ctx, i: GenerateIn): AsyncGenerator<ModelPart> {
  const credential = await credentialOf(ctx.db, i.userId, i.credential);
  const model = i.model ?? credential.model;
  const price = priceOf(credential, model);
  const messages = (await isPiiSafe(ctx.db, [i.userId])) ? redacted(i.messages) : i.messages;
  const promptJson = JSON.stringify([messages, i.tools ?? []]);
  const request: ModelRequest = { ...i, messages, maxOutputTokens: outputTokens(credential, model, i.maxOutputTokens) };
  const target = await targetOf(ctx, credential, model);
  const reserved = await reserve(ctx, {
    credential,
    model,
    price,
    purpose: i.purpose,
    agentName: i.agentName ?? null,
    runId: i.runId ?? null,
    threadId: i.threadId ?? null,
    inputTokens: highTokens(Buffer.byteLength(promptJson)),
    outputTokens: request.maxOutputTokens,
  });
  const meter = new Meter(promptJson, price);
  try {
    for await (const part of patiently(ctx, target, request)) {
      meter.saw(part);
      yield part;
    }
    meter.state = 'ok';
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    meter.failed(error);
    throw modelFailure(error, { credential: credential.name, model });
  } finally {
    await settleUsage(ctx, reserved, meter.settlement());
  }
}

// Safe: texts stay texts, and what is not a text stays what it is.
function redacted(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  return redactValue(messages) as readonly ModelMessage[];
}

const attempts = 3;
const longestWaitSeconds = 10;

/** What may pass by waiting is tried again, as long as nothing has been said. */
async function* patiently(ctx: Ctx, target: Parameters<Ctx['drivers']['llm']['stream']>[0], request: ModelRequest): AsyncGenerator<ModelPart> {
  for (let attempt = 1; ; attempt += 1) {
    let begun = false;
    try {
      for await (const part of ctx.drivers.llm.stream(target, request)) {
        begun = true;
        yield part;
      }
      return;
    } catch (error) {
      const again = error instanceof ModelError && (error.code === 'rate_limited' || error.code === 'overloaded');
      const wait = again ? (error.retryAfterSeconds ?? attempt) : Infinity;
      if (begun || attempt === attempts || wait > longestWaitSeconds) throw error;
      await sleep(wait * 1000, undefined, { signal: request.signal }).catch(() => {
        throw error;
      });
    }
  }
}

function outputTokens(credential: LlmCredentialsRow, model: string, wanted = DEFAULT_OUTPUT_TOKENS): number {
  return Math.min(wanted, modelOf(credential.provider, model)?.max_output_tokens ?? wanted);
}

/** Endpoints that refuse count nothing; of an answer that broke off, what was sent and said is estimated. */
const FREE = new Set<ModelError['code']>(['auth', 'rate_limited', 'overloaded', 'model_not_found', 'bad_request', 'context_length', 'unreachable']);
const NOTHING: ModelUsage = { inputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };

class Meter {
  state: 'ok' | 'failed' | 'cancelled' = 'cancelled';
  private readonly asked: string;
  private readonly price: Price | undefined;
  private saidBytes = 0;
  private error: ModelError | undefined;
  private counted: ModelUsage | undefined;

  constructor(asked: string, price: Price | undefined) {
    this.asked = asked;
    this.price = price;
  }

  saw(part: ModelPart): void {
    if (part.type === 'text') this.saidBytes += Buffer.byteLength(part.text);
    if (part.type === 'tool_call') this.saidBytes += Buffer.byteLength(JSON.stringify([part.name, part.input]));
    if (part.type === 'end') this.counted = part.usage ?? undefined;
  }

  failed(error: ModelError): void {
    this.error = error;
    this.counted = error.usage;
    this.state = error.code === 'cancelled' ? 'cancelled' : 'failed';
  }

  settlement() {
    const free = this.saidBytes === 0 && this.error !== undefined && FREE.has(this.error.code);
    const estimated = !free && this.counted === undefined;
    const usage =
      this.counted ?? (free ? NOTHING : { ...NOTHING, inputTokens: likelyTokens(Buffer.byteLength(this.asked)), outputTokens: likelyTokens(this.saidBytes) });
    return {
      state: this.state,
      errorCode: this.error?.code ?? null,
      usage,
      estimated,
      costMicros: this.price === undefined ? null : costMicros(this.price, usage),
    };
  }
}
