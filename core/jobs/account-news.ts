// Changes of an account, for its followers: triggers notify on commit (tell_account of
// db/migrations/0003_jobs.ts), the one listener of the process receives. Nothing is kept in the database: a
// follower that reconnects within minutes gets what it missed, later it gets a reset.
import { randomBytes } from 'node:crypto';
import { ACCOUNT_EVENT_KINDS, type AccountEventKind } from '#contract/states.ts';
import type { AccountEvent, AccountEvents } from '../kernel/wakeups.ts';

export const accountChannel = 'svc_account';

/** Events kept of one account: a reader that is further behind gets a reset. */
const MAX_EVENTS = 100;
/** How long what comes is kept after the last reader of an account went: it may come back. */
const LINGER_MS = 300_000;

interface Account {
  /** Tells ids of this process from those of others and of earlier ones. */
  epoch: string;
  /** Of the newest event. */
  seq: number;
  events: AccountEvent[];
  wakes: Set<() => void>;
  forget?: NodeJS.Timeout;
}

export class AccountNews implements AccountEvents {
  /** Of those with readers, and of those whose readers went lately. */
  readonly #accounts = new Map<string, Account>();

  /** @param payload "owner kind id"; undefined: the connection was lost, and anything may have been missed */
  heard(payload: string | undefined): void {
    if (payload === undefined) {
      for (const account of this.#accounts.values()) this.#restart(account);
      return;
    }
    const [owner = '', kind = '', of = ''] = payload.split(' ');
    const account = this.#accounts.get(owner);
    if (!account || !isKind(kind)) return;
    account.seq += 1;
    account.events.push({ id: `${account.epoch}.${account.seq}`, kind, of });
    if (account.events.length > MAX_EVENTS) account.events.shift();
    for (const wake of account.wakes) wake();
  }

  readers(owner: string): number {
    return this.#accounts.get(owner)?.wakes.size ?? 0;
  }

  follow(owner: string, lastId: string | undefined, signal: AbortSignal): AsyncGenerator<AccountEvent> {
    const account = this.#accountOf(owner);
    const reader = { wake: () => undefined as void };
    const wake = (): void => reader.wake();
    account.wakes.add(wake);
    clearTimeout(account.forget);
    const leave = (): void => {
      wake();
      if (!account.wakes.delete(wake) || account.wakes.size > 0) return;
      account.forget = setTimeout(() => this.#accounts.delete(owner), LINGER_MS).unref();
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    return read(account, placeOf(account, lastId), reader, signal);
  }

  #accountOf(owner: string): Account {
    const known = this.#accounts.get(owner);
    if (known) return known;
    const made: Account = { epoch: newEpoch(), seq: 0, events: [], wakes: new Set() };
    this.#accounts.set(owner, made);
    return made;
  }

  #restart(account: Account): void {
    account.epoch = newEpoch();
    account.events = [];
    for (const wake of account.wakes) wake();
  }
}

const newEpoch = (): string => randomBytes(6).toString('hex');

interface Place {
  epoch: string;
  /** Of the last one that was read. */
  seq: number;
}

function placeOf({ epoch }: Account, lastId: string | undefined): Place | undefined {
  const [, of = '', seq = ''] = /^([0-9a-f]{12})\.(\d{1,15})$/.exec(lastId ?? '') ?? [];
  return of === epoch ? { epoch, seq: Number(seq) } : undefined;
}

async function* read(account: Account, from: Place | undefined, reader: { wake: () => void }, signal: AbortSignal): AsyncGenerator<AccountEvent> {
  let place = from;
  while (!signal.aborted) {
    const oldest = account.seq - account.events.length;
    if (place?.epoch !== account.epoch || place.seq < oldest || place.seq > account.seq) {
      place = { epoch: account.epoch, seq: account.seq };
      yield { id: `${place.epoch}.${place.seq}`, kind: 'reset', of: null };
      continue;
    }
    const next = account.events[place.seq - oldest];
    if (next) {
      place = { ...place, seq: place.seq + 1 };
      yield next;
      continue;
    }
    // Nothing is awaited between the look and this.
    await new Promise<void>((resolve) => {
      reader.wake = resolve;
    });
  }
}

function isKind(kind: string): kind is AccountEventKind {
  return kind !== 'reset' && (ACCOUNT_EVENT_KINDS as readonly string[]).includes(kind);
}
