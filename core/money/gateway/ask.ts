// One request of a run to a language model, in the words of the model's own wire: whose money, within which
// limits, counted whatever becomes of it.
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { ModelTerms } from '#contract/wire/model-use.ts';
import type { ExchangeAnswer } from '#drivers/llm/exchange.ts';
import type { ModelTarget } from '#drivers/llm/port.ts';
import { hiddenKey, textWithoutKey, withoutKey } from '#drivers/llm/without-key.ts';
import type { Ctx, RunActor } from '../../kernel/ctx.ts';
import { BadGateway, BadRequest, type DomainError, NotFound } from '../../kernel/errors.ts';
import { askingSpan } from '../../kernel/trace.ts';
import { accountsOf } from '../../policy/accounts.ts';
import { isPiiSafe } from '../../policy/check.ts';
import { redactValue } from '../../policy/redact.ts';
import { modelOf } from '../llm/catalog.ts';
import { priceOf, targetOf } from '../llm/credential.ts';
import { reserve } from '../llm/meter.ts';
import { likelyTokens } from '../llm/price.ts';
import { callingPerson } from '../price/payer.ts';
import { type GatewayAnswer, failure, MOST_REFUSAL_BYTES, of, refusal, type Sending, readWhole, shownHeaders, whole } from './answer.ts';
import { isBusy, candidateModels, NO_ANSWER, waitBefore } from './attempts.ts';
import { refuseForeign, refuseOtherModels } from './foreign.ts';
import { inputTokens } from './input-tokens.ts';
import { type GrantLimits, isModelAllowed, type Payer, modelPayer, requireAllowed } from './payer.ts';
import { type EventTask, readEvent } from './large-answers.ts';
import { objectIn } from './object-in.ts';
import { relayEvents, UsageTally } from './relay.ts';
import { declaredTerms } from './terms.ts';
import { UnderWay } from './under-way.ts';
import { type Body, type Metered, type Operation, refuseDeep } from './wire.ts';

/** Under a budget, of an answer whose request names no limit. */
const DEFAULT_OUTPUT_TOKENS = 8_192;

export interface GatewayRequest {
  run: RunActor;
  grant: GrantLimits | undefined;
  operation: Operation;
  /** Behind the path: `?limit=20`, or empty. */
  query: string;
  /** Of a list of models only this one, in place of the list. */
  only?: string | undefined;
  /** As it came; undefined: none. */
  body: string | undefined;
  /** Those of the caller that the endpoint is to see. */
  headers: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

/**
 * The answer as it comes. Leaving its iteration ends the request; what was said until then is counted.
 * @throws DomainError of models_*, model_*, llm_*, no_model, unpriced_model
 */
export async function askModel(ctx: Ctx, i: GatewayRequest): Promise<GatewayAnswer> {
  const { run, operation, grant } = i;
  const terms = await declaredTerms(ctx, run);
  // A model grant is of the caller's model, and never spends the owner's money.
  const payer = await modelPayer(ctx, { run, terms: grant ? { ...terms, paid_by: 'caller' } : terms, protocol: operation.protocol, grant });
  if (operation.method === 'GET') return listModels(ctx, i, payer);
  const request = objectIn(i.body ?? '');
  if (!request) throw new BadRequest('model_request_invalid', 'Send the request as a JSON object');
  refuseDeep(request);
  const redactedRequest = await withoutPersons(ctx, run, payer, request);
  refuseOtherModels(redactedRequest);
  const { model } = redactedRequest;
  if (typeof model !== 'string' || !/^[!-~]{1,200}$/.test(model)) throw new BadRequest('model_request_invalid', '"model" must be the id of a model');
  requireAllowed(payer, model);
  if (payer.foreign) refuseForeign(redactedRequest);
  const target = await targetOf(ctx, payer.credential, model);
  // As it was read here: of two members with one name others may read the first.
  if (!operation.metered) return exchanged(ctx, i, { payer, target, body: JSON.stringify(redactedRequest) });
  return tryModels(ctx, i, { payer, target, asked: redactedRequest, model, metered: operation.metered }, terms);
}

/** As the endpoint is to see it: without what names persons, where an account behind the run wants it so. */
async function withoutPersons(ctx: Ctx, run: RunActor, payer: Payer, said: Body): Promise<Body> {
  const accounts = [payer.credential.user_id, ...(await accountsOf(ctx.db, run))];
  // Safe: an object stays one.
  return (await isPiiSafe(ctx.db, accounts)) ? (redactValue(said) as Body) : said;
}

async function send(ctx: Ctx, { operation, query, headers, signal }: GatewayRequest, { target, body }: Sending) {
  const all = body === undefined ? headers : { ...headers, 'content-type': 'application/json' };
  const answer = await ctx.drivers.llm.exchange(target, { method: operation.method, path: operation.path + query, headers: all, body, signal });
  const { 'content-encoding': coding = 'identity' } = answer.headers;
  if (coding === 'identity' || coding === '') return answer;
  answer.body.on('error', () => undefined).destroy();
  throw new BadGateway('model_bad_answer', 'The endpoint compressed its answer, which it was not asked to do: nothing of it was passed on');
}

/** What uses no tokens. */
async function exchanged(ctx: Ctx, i: GatewayRequest, s: Sending): Promise<GatewayAnswer> {
  try {
    const answer = await send(ctx, i, s);
    if (answer.status >= 400) return await refusal(answer, s);
    const { apiKey, model } = s.target;
    const { bytes } = await readWhole(answer.body, s);
    return { status: answer.status, headers: shownHeaders(answer.headers, apiKey), body: of(bytes), model };
  } catch (error) {
    throw failure(error, i.signal, s);
  }
}

/**
 * One model is looked for in the list: an id of the caller's becomes no part of an address that is asked with
 * the owner's key.
 */
async function listModels(ctx: Ctx, outer: GatewayRequest, payer: Payer): Promise<GatewayAnswer> {
  const i = outer.only === undefined ? outer : { ...outer, query: WHOLE_LIST[outer.operation.protocol] };
  const target = await targetOf(ctx, payer.credential, '');
  const answer = await exchanged(ctx, i, { payer, target, body: undefined });
  if (answer.status !== 200) return { ...answer, model: null };
  const modelList = objectIn((await whole(answer.body)).toString());
  const data = modelList?.['data'];
  if (!Array.isArray(data)) throw new BadGateway('model_bad_answer', "The endpoint's list of models cannot be read");
  const mine = data.filter((one: unknown) => isModelAllowed(payer, idOf(one)));
  if (i.only !== undefined) return oneModel(answer, mine, i.only);
  return { ...answer, body: of(Buffer.from(JSON.stringify({ ...modelList, data: mine }))), model: null };
}

function oneModel(answer: GatewayAnswer, models: readonly unknown[], id: string): GatewayAnswer {
  const one = models.find((model) => idOf(model) === id);
  if (one === undefined) throw new NotFound('model_unknown', `The endpoint lists no model ${id.slice(0, 100)} that this agent may use`);
  return { ...answer, body: of(Buffer.from(JSON.stringify(one))), model: null };
}

/** OpenAI's wire lists all models at once; Anthropic's twenty, unless more are asked for. */
const WHOLE_LIST = { openai: '', anthropic: '?limit=1000' } as const;

function idOf(one: unknown): string {
  return typeof one === 'object' && one !== null && 'id' in one && typeof one.id === 'string' ? one.id : '';
}

const nameOf = ({ protocol, name }: Operation): EventTask['counts'] => ({ protocol, name });

interface MeteredIn {
  payer: Payer;
  target: ModelTarget;
  asked: Body;
  model: string;
  metered: Metered;
}

/** By the rules of svc.yaml. Each try is a use of its own. */
async function tryModels(ctx: Ctx, i: GatewayRequest, m: MeteredIn, terms: ModelTerms): Promise<GatewayAnswer> {
  const models = candidateModels(terms, m.model).filter((model) => isModelAllowed(m.payer, model));
  for (const [at, model] of models.entries()) {
    const of = { ...m, model, asked: { ...m.asked, model }, target: { ...m.target, model } };
    for (let tries = 1; ; tries += 1) {
      const answer = await metered(ctx, i, of, (headers) => {
        const waitMs = tries <= (terms.retries ?? 0) ? waitBefore(headers, tries) : undefined;
        return waitMs === undefined && at === models.length - 1 ? undefined : { waitMs };
      });
      if (!('waitMs' in answer)) return answer;
      if (answer.waitMs === undefined) break;
      await delay(answer.waitMs, undefined, { signal: i.signal });
    }
  }
  throw new Error('the last refusal of the last model is the answer');
}

/**
 * The endpoint could not take it: the same is sent again after so many milliseconds; undefined: the next
 * model is asked.
 */
interface Next {
  waitMs: number | undefined;
}

/** @param nextAfter what follows a refusal with these headers; undefined: it is the answer */
async function metered(
  ctx: Ctx,
  i: GatewayRequest,
  m: MeteredIn,
  nextAfter: (headers: ExchangeAnswer['headers']) => Next | undefined,
): Promise<GatewayAnswer | Next> {
  const { payer, target, asked, model } = m;
  const { credential, caps, rates } = payer;
  const price = priceOf(credential, model);
  const wanted = m.metered.outputTokens(asked);
  const bounds = caps.length > 0 || credential.monthly_budget_micros !== null;
  const outputTokens = wanted ?? Math.min(DEFAULT_OUTPUT_TOKENS, modelOf(credential.provider, model)?.max_output_tokens ?? DEFAULT_OUTPUT_TOKENS);
  const most = outputTokens * m.metered.answers(asked);
  const body = JSON.stringify(m.metered.prepared(asked, bounds ? outputTokens : undefined, credential.provider));
  const reserved = await reserve(ctx, {
    credential,
    // Another person's name for their credential is not the agent's to know.
    ...(payer.foreign && { shownAs: "the caller's credential" }),
    model,
    price,
    purpose: i.operation.name,
    agentName: i.run.agent_name,
    runId: i.run.run_id,
    threadId: i.run.thread_id,
    personId: callingPerson(i.run),
    rootRunId: i.run.root_run_id ?? null,
    parentSpanId: askingSpan(ctx.trace, i.run),
    inputTokens: inputTokens(asked),
    outputTokens: most,
    caps,
    rates,
  });
  const tokens = { asked: likelyTokens(Buffer.byteLength(i.body ?? '')), most };
  const use = new UnderWay(ctx, { reserved, price, tally: new UsageTally(m.metered), ...tokens, streams: asked['stream'] === true });
  const sending: Sending = { payer, target, body };
  let begun = false;
  try {
    const answer = await send(ctx, i, sending);
    begun = true;
    if (answer.status >= 400) {
      await use.refused(`status_${answer.status}`);
      const next = isBusy(answer.status) ? nextAfter(answer.headers) : undefined;
      if (!next) return await refusal(answer, sending);
      await whole(answer.body, MOST_REFUSAL_BYTES);
      return next;
    }
    const headers = shownHeaders(answer.headers, target.apiKey);
    if (/^text\/event-stream\b/i.test(headers['content-type'] ?? '')) {
      endWithItsReader(answer.body, use, i.signal);
      return {
        status: answer.status,
        headers,
        body: streamed(answer.body, use, { ...m, counts: nameOf(i.operation) }, (error) => failure(error, i.signal, sending)),
        model,
      };
    }
    const { bytes, counted } = await readWhole(answer.body, sending, nameOf(i.operation));
    if (!counted) throw new BadGateway('model_bad_answer', `What ${model} answered is no JSON`);
    use.tally.counted(counted);
    await use.ended('ok');
    return { status: answer.status, headers, body: of(bytes), model };
  } catch (error) {
    const failed = failure(error, i.signal, sending);
    await use.ended(i.signal.aborted ? 'cancelled' : 'failed', failed.code);
    const next = !begun && NO_ANSWER.has(failed.code) ? nextAfter({}) : undefined;
    if (next) return next;
    throw failed;
  }
}

/**
 * A reader that leaves before the first token never starts to iterate; then the iteration does not end the
 * use and does not see the body's end.
 */
function endWithItsReader(body: Readable, use: UnderWay, signal: AbortSignal): void {
  body.on('error', () => undefined);
  // What cannot be written now is swept.
  const left = (): void => void use.ended('cancelled', 'cancelled').catch(() => undefined);
  if (signal.aborted) left();
  else signal.addEventListener('abort', left, { once: true });
}

async function* streamed(
  answer: Readable,
  use: UnderWay,
  m: MeteredIn & Pick<EventTask, 'counts'>,
  failed: (error: unknown) => DomainError,
): AsyncGenerator<Buffer> {
  try {
    yield* relayEvents(withoutKey(answer, m.target.apiKey), {
      tally: use.tally,
      metered: m.metered,
      asked: m.asked,
      bare: (text) => textWithoutKey(text, m.target.apiKey),
      key: hiddenKey(m.target.apiKey),
      readLarge: (data, before) => {
        const { stream, stream_options } = m.asked;
        return readEvent(m.payer.credential.user_id, { data, apiKey: m.target.apiKey, counts: m.counts, before, asked: { stream, stream_options } });
      },
    });
    await use.ended('ok');
  } catch (error) {
    const { code } = failed(error);
    await use.ended(code === 'cancelled' ? 'cancelled' : 'failed', code);
    throw failed(error);
  } finally {
    answer.destroy();
    // The reader has left.
    await use.ended('cancelled');
  }
}
