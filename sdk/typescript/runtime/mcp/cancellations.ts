// `notifications/cancelled` of clients of 2025: it comes in a request of its own, and names the request that
// is to end.
import type { Caller } from './caller.ts';

export class Cancellations {
  readonly #open = new Map<string, Set<() => void>>();

  /** @returns to be called when the request is answered */
  add(caller: Caller, id: string | number, cancel: () => void): () => void {
    const key = keyOf(caller, id);
    // Its sender could not be told from any other caller.
    if (key === undefined) return () => undefined;
    const open = this.#open.get(key) ?? new Set();
    this.#open.set(key, open.add(cancel));
    return () => {
      open.delete(cancel);
      if (open.size === 0 && this.#open.get(key) === open) this.#open.delete(key);
    };
  }

  /**
   * False: the message is another one. What it names may have been answered; two clients without sessions may
   * use one id: then neither is meant for sure.
   */
  took(caller: Caller, message: unknown): boolean {
    const id = cancelledId(message);
    if (id === undefined) return false;
    const open = this.#open.get(keyOf(caller, id) ?? '');
    if (open?.size === 1) for (const cancel of open) cancel();
    return true;
  }
}

function keyOf({ owner, session }: Caller, id: string | number): string | undefined {
  return owner.shared ? undefined : JSON.stringify([owner.key, session ?? null, id]);
}

function cancelledId(message: unknown): string | number | undefined {
  if (typeof message !== 'object' || message === null || !('method' in message) || message.method !== 'notifications/cancelled') return undefined;
  const params = 'params' in message ? message.params : undefined;
  const id = typeof params === 'object' && params !== null && 'requestId' in params ? params.requestId : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
