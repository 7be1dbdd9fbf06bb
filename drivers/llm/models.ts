// The driver: people's own endpoints, called from inside the platform's network and therefore through a fetch
// that reaches no further.
import type { Lookup } from '../outbound/lookup.ts';
import { addressProblem } from './address.ts';
import { collect } from './collect.ts';
import type { Exchange } from './exchange.ts';
import type { LanguageModels, ModelPart, ModelRequest, ModelTarget } from './port.ts';
import type { streamAnswer } from './vendors.ts';

export interface ModelOptions {
  /** `host` or `host:port`: internal addresses that may be endpoints all the same. */
  localHosts?: readonly string[] | undefined;
  lookup?: Lookup | undefined;
  /** Until an answer starts, and between two pieces of it; default three minutes: models think. */
  silenceMs?: number;
  maxBytes?: number;
  ca?: string;
}

/** Nothing is loaded before the first answer. */
export function languageModels({ localHosts = [], silenceMs = 180_000, maxBytes = 32 * 1024 * 1024, ...more }: ModelOptions = {}): LanguageModels & {
  close(): Promise<void>;
} {
  let loaded: Promise<{ answer: typeof streamAnswer; fetch: typeof fetch; close(): Promise<void> }> | undefined;
  const load = () =>
    (loaded ??= (async () => {
      const [vendors, { outboundFetch }] = await Promise.all([import('./vendors.ts'), import('./outbound.ts')]);
      return { answer: vendors.streamAnswer, ...outboundFetch({ localHosts, connectMs: 10_000, silenceMs, maxBytes, ...more }) };
    })());
  let exchanges: Promise<{ exchange: Exchange; close(): Promise<void> }> | undefined;
  const loadExchange = () =>
    (exchanges ??= (async () => {
      const [{ exchangeOver }, { outboundAgent }] = await Promise.all([import('./exchange.ts'), import('./outbound.ts')]);
      const agent = outboundAgent({ localHosts, connectMs: 10_000, silenceMs, maxBytes, ...more });
      return { exchange: exchangeOver(agent), close: () => agent.destroy() };
    })());
  async function* stream(target: ModelTarget, request: ModelRequest): AsyncGenerator<ModelPart> {
    const { answer, fetch } = await load();
    yield* answer(target, request, fetch);
  }
  return {
    checkAddress: (baseUrl) => addressProblem(baseUrl, localHosts),
    stream,
    generate: async (target, request) => collect(stream(target, request)),
    exchange: async (target, request) => (await loadExchange()).exchange(target, request),
    close: async () => {
      await (await loaded)?.close();
      await (await exchanges)?.close();
    },
  };
}
