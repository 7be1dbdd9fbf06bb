// Models over HTTP: the platform's gateway, or a provider. The wire is written here: of the official clients'
// megabyte a few fields are needed.
import { DEFAULT_MODEL_VARIABLE, EMBEDDING_MODEL_VARIABLE, MODEL_BASE_PATHS, MODEL_PROVIDERS, type ModelProtocol } from '../../../contract/wire/model-use.ts';
import { readEvents } from '../../../contract/wire/event-stream.ts';
import { HEADER } from '../../../contract/wire/headers.ts';
import { ModelFailed, NotAvailable, SvcError } from '../authoring/errors.ts';
import { anthropicWire } from './anthropic.ts';
import { badAnswer } from './collected.ts';
import { EMBEDDINGS_PATH, embeddingsIn } from './embeddings.ts';
import { openaiWire } from './openai.ts';
import type { ModelPort } from './port.ts';
import type { NamedRequest, Wire } from './wire.ts';

export interface Endpoint {
  /** As the provider's own clients take it. */
  baseUrl: string;
  headers: Readonly<Record<string, string>>;
}

const WIRES: Record<ModelProtocol, Wire> = { openai: openaiWire, anthropic: anthropicWire };
const MOST_EVENT_CHARACTERS = 16 * 1024 * 1024;
const MOST_ANSWER_BYTES = 32 * 1024 * 1024;

/** @param defaults asked with each request: a copy of a suspended machine may be another deployment */
export function httpModels(
  endpointOf: (protocol: ModelProtocol) => Endpoint,
  defaults: () => { [DEFAULT_MODEL_VARIABLE]?: string | undefined; [EMBEDDING_MODEL_VARIABLE]?: string | undefined },
): ModelPort {
  return {
    async embed(request, signal) {
      const model = request.model ?? defaults()[EMBEDDING_MODEL_VARIABLE];
      if (model === undefined)
        throw new ModelFailed('no model that embeds is named: say { model: "…" }, or "embedding" under "models" in svc.yaml', {
          code: 'no_model_named',
          status: 0,
        });
      try {
        const body = { model, input: request.texts, encoding_format: 'float' };
        const response = await send(endpointOf('openai'), { path: EMBEDDINGS_PATH }, body, signal);
        if (!response.ok) throw await refusalOf(response, openaiWire);
        return embeddingsIn(jsonOf(await textOf(response)), request.texts.length, model);
      } catch (error) {
        throw failureOf(error, signal);
      }
    },
    async *ask(request, { stream, signal }) {
      const model = request.model ?? defaults()[DEFAULT_MODEL_VARIABLE];
      if (model === undefined)
        throw new ModelFailed('no model is named: say { model: "…" }, or "default" under "models" in svc.yaml', { code: 'no_model_named', status: 0 });
      const named: NamedRequest = { ...request, model };
      const protocol = request.protocol ?? (model.startsWith('claude') ? 'anthropic' : 'openai');
      const wire = WIRES[protocol];
      const reader = wire.reader(named);
      const gone = new AbortController();
      try {
        const response = await send(endpointOf(protocol), wire, wire.body(named, stream), AbortSignal.any([signal, gone.signal]));
        if (!response.ok) throw await refusalOf(response, wire);
        if (!stream) {
          reader.take(jsonOf(await textOf(response)));
          return reader.result();
        }
        if (!response.body) throw badAnswer('it is empty');
        for await (const { data } of readEvents(response.body, { maxLength: MOST_EVENT_CHARACTERS })) {
          if (data === '[DONE]') break;
          const text = reader.take(jsonOf(data));
          if (text !== '') yield text;
        }
        return reader.result();
      } catch (error) {
        throw failureOf(error, signal);
      } finally {
        // A reader that left: the endpoint is to stop.
        gone.abort();
      }
    },
  };
}

function failureOf(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof SvcError) return error;
  return new ModelFailed("the model's answer broke off, or its endpoint cannot be reached", { code: 'model_unreachable', status: 0 }, { cause: error });
}

/**
 * As a run of the platform. Whatever the environment says of base URLs: the run's credential goes only to the
 * platform.
 */
export function gatewayEndpoint(platform: string, { token, requestId }: { token: string | undefined; requestId: string }) {
  return (protocol: ModelProtocol): Endpoint => {
    if (token === undefined) throw new NotAvailable('ctx.llm (this call came without a run credential: call the agent through the platform)');
    return { baseUrl: platform + MODEL_BASE_PATHS[protocol], headers: { [HEADER.runToken]: token, [HEADER.requestId]: requestId } };
  };
}

const ANTHROPIC_VERSION = '2023-06-01';

/** With the key of who works on this machine. */
export function ownEndpoint(env: NodeJS.ProcessEnv) {
  return (protocol: ModelProtocol): Endpoint => {
    const { url, baseUrl, key } = MODEL_PROVIDERS[protocol];
    const secret = env[key];
    if (!secret && !env[baseUrl])
      throw new ModelFailed(`${key} is not set here: set it in .env.local or the environment. Tests give answers themselves (llm: […])`, {
        code: 'no_model',
        status: 0,
      });
    const headers: Record<string, string> = protocol === 'openai' ? { authorization: `Bearer ${secret ?? ''}` } : { 'x-api-key': secret ?? '' };
    return { baseUrl: (env[baseUrl] || url).replace(/\/+$/, ''), headers };
  };
}

function send({ baseUrl, headers }: Endpoint, { path }: Pick<Wire, 'path'>, body: object, signal: AbortSignal): Promise<Response> {
  return fetch(baseUrl + path, {
    method: 'POST',
    // Followed elsewhere it would take the credential along.
    redirect: 'error',
    signal,
    headers: { 'content-type': 'application/json', ...(path === anthropicWire.path && { 'anthropic-version': ANTHROPIC_VERSION }), ...headers },
    body: JSON.stringify(body),
  });
}

async function refusalOf(response: Response, wire: Wire): Promise<ModelFailed> {
  const { status } = response;
  const text = await textOf(response);
  const refusal = wire.refusal(parsed(text)) ?? { code: 'model_refused', message: `the model's endpoint answered ${status}: ${text.slice(0, 500)}` };
  return new ModelFailed(refusal.message, { code: refusal.code, status });
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MOST_ANSWER_BYTES) throw badAnswer(`it is longer than ${MOST_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function jsonOf(text: string): unknown {
  const value = parsed(text);
  if (value === undefined) throw badAnswer('it is no JSON');
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
