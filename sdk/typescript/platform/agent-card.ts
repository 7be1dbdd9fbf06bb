// Reads an agent's A2A card and believes it only where one of its signatures verifies (A2A 8.4).
import { z } from 'zod';
import { CallFailed } from '../authoring/errors.ts';

const MAX_BYTES = 1024 * 1024;
const TIMEOUT_MS = 10_000;

export interface ReadCardOptions {
  signal?: AbortSignal | undefined;
  /** May keys for this agent be read here? default: only at the agent's own origin. */
  trusts?: (keys: URL, agent: URL) => boolean;
}

const Keys = z.object({ keys: z.array(z.looseObject({ kid: z.string(), kty: z.string() })).max(100) });

/**
 * The card as the protocol has it (1.0), verified.
 * @throws CallFailed with code `card_unsigned`, `card_signature_invalid`, `unreachable`, `bad_answer`
 */
export async function readAgentCard(agent: string, { signal, trusts = sameOrigin }: ReadCardOptions = {}): Promise<Record<string, unknown>> {
  const base = new URL(agent);
  const document = await json(new URL('/.well-known/agent-card.json', base), signal);
  // Loaded when a card is read: agents that read none start faster.
  const { AgentCard, verifyAgentCardSignature } = await import('@a2a-js/sdk');
  const card = AgentCard.fromJSON(document);
  if (card.signatures.length === 0) throw new CallFailed(`the card of ${base.origin} is not signed`, { code: 'card_unsigned', status: 200 });
  const verify = verifyAgentCardSignature(async (kid, jku) => {
    const url = URL.parse(jku ?? '');
    if (!url || !trusts(url, base)) throw new Error('its keys are elsewhere');
    const publicKey = Keys.parse(await json(url, signal)).keys.find((key) => key.kid === kid);
    if (!publicKey) throw new Error(`there is no key ${kid}`);
    return publicKey;
  });
  // Its JSON is what the function reads; a typed card would have lost the security schemes.
  await verify(document as typeof card).catch((error: unknown) => {
    throw new CallFailed(`the card of ${base.origin} is not as it was signed`, { code: 'card_signature_invalid', status: 200 }, { cause: error });
  });
  return z.record(z.string(), z.unknown()).parse(AgentCard.toJSON(card));
}

function sameOrigin(keys: URL, agent: URL): boolean {
  return keys.origin === agent.origin;
}

async function json(url: URL, signal: AbortSignal | undefined): Promise<unknown> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const failed = (code: string, message: string, cause?: unknown): CallFailed => new CallFailed(`${url.href} ${message}`, { code, status: 0 }, { cause });
  const response = await fetch(url, {
    headers: { accept: 'application/json', 'a2a-version': '1.0' },
    redirect: 'error',
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  }).catch((error: unknown) => {
    throw failed('unreachable', 'cannot be reached', error);
  });
  if (!response.ok) throw failed('bad_answer', `answered ${response.status}`);
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.length > MAX_BYTES) throw failed('bad_answer', 'answered too much');
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw failed('bad_answer', 'did not answer with JSON', error);
  }
}
