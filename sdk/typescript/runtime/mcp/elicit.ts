// Questions to clients of 2025 that read the stream of their call: `elicitation/create` goes out on it, and
// the answer comes as a message of its own. There is nothing between the two but the id, which only the asked
// client knows, and who it is.
import { randomUUID } from 'node:crypto';
import type { Server, ServerContext } from '@modelcontextprotocol/server';
import type { questionRequest } from './asking.ts';
import type { Caller } from './caller.ts';

/** The client answered with `result`, or could not ask its person; or the signal came first. */
export type Elicited = { kind: 'result'; result: unknown } | { kind: 'refused' } | { kind: 'over' };

/** Puts one message on the stream of a call. */
export type Send = (message: object) => Promise<void>;

/** `run`: the id of what asks, where it is a run. */
type Form = ReturnType<typeof questionRequest> & { run?: string };

interface OpenElicitation {
  owner: string;
  settle: (outcome: Elicited) => void;
}

export class Elicitations {
  readonly #open = new Map<string, OpenElicitation>();

  async ask(send: Send, { params, run }: Form, { owner }: Caller, signal: AbortSignal): Promise<Elicited> {
    // The platform reads the run, and leads the answer to its machine.
    const id = `elicit_${run === undefined ? '' : `${run}_`}${randomUUID()}`;
    const { promise, resolve } = Promise.withResolvers<Elicited>();
    const end = (): void => resolve({ kind: 'over' });
    signal.addEventListener('abort', end, { once: true });
    this.#open.set(id, { owner: owner.key, settle: resolve });
    try {
      if (signal.aborted) return { kind: 'over' };
      await send({ jsonrpc: '2.0', id, method: 'elicitation/create', params });
      const outcome = await promise;
      // Its form can go.
      if (outcome.kind === 'over') await send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason: 'no longer asked' } });
      return outcome;
    } catch {
      // The stream has ended.
      return { kind: 'over' };
    } finally {
      signal.removeEventListener('abort', end);
      this.#open.delete(id);
    }
  }

  /** False: it answers nothing that was asked of this caller. */
  answered({ owner }: Caller, message: unknown): boolean {
    if (typeof message !== 'object' || message === null || 'method' in message || !('id' in message)) return false;
    const elicitation = typeof message.id === 'string' ? this.#open.get(message.id) : undefined;
    if (elicitation?.owner !== owner.key) return false;
    elicitation.settle('result' in message ? { kind: 'result', result: message.result } : { kind: 'refused' });
    return true;
  }
}

/** On the stream that answers the request of `context`. */
export function sendOn(server: Server, { mcpReq }: ServerContext): Send {
  return async (message) => {
    const { transport } = server;
    if (!transport) throw new Error('the stream has ended');
    // We send the request with our own id: the package numbers its requests again for each call, which would
    // mix up answers.
    await transport.send(message as Parameters<typeof transport.send>[0], { relatedRequestId: mcpReq.id });
  };
}
