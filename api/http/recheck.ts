// What is open ends with the rights that opened it: every connection that lasts is entered here, and all of a
// process are looked at again together, in one query for each BATCH of different claims. A database that is
// away ends nothing: the next look does.
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Knex } from 'knex';
import { claimRow, type Claim } from '#core/identity/rights/claim.ts';
import { lookAtRights } from '#core/identity/rights/look.ts';
import type { DomainError } from '#core/kernel/errors.ts';
import { processKey } from '#core/kernel/settings.ts';

const EVERY_MS = 2_000;
const BATCH = 1_000;

type Ended = (why: DomainError) => void;

class Rechecks {
  readonly #db: Knex;
  readonly #everyMs: number;
  readonly #open = new Map<object, { claim: Claim; ended: Ended }>();
  #timer: NodeJS.Timeout | undefined;
  #looking = false;

  constructor(db: Knex, everyMs: number) {
    this.#db = db;
    this.#everyMs = everyMs;
  }

  /**
   * Calls `ended` once when the claim does not hold any more. To be left when the connection has ended,
   * however it ended.
   */
  enter(claim: Claim, ended: Ended): () => void {
    const key = {};
    this.#open.set(key, { claim, ended });
    this.#timer ??= setInterval(() => void this.look(), this.#everyMs).unref();
    return () => {
      this.#open.delete(key);
      if (this.#open.size > 0 || this.#timer === undefined) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  async look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      // Connections of one person by one sign-in to one agent are one question.
      const questions = [...Map.groupBy(this.#open, ([, { claim }]) => keyOf(claim)).values()];
      for (let from = 0; from < questions.length; from += BATCH) await this.#ask(questions.slice(from, from + BATCH));
    } catch (error) {
      report(error);
    } finally {
      this.#looking = false;
    }
  }

  async #ask(questions: [object, { claim: Claim; ended: Ended }][][]): Promise<void> {
    const claims = questions.flatMap(([first]) => (first === undefined ? [] : [first[1].claim]));
    const verdicts = await lookAtRights(this.#db, claims, Date.now());
    for (const [at, why] of verdicts.entries()) {
      if (why === undefined) continue;
      for (const [key, { ended }] of questions[at] ?? []) if (this.#open.delete(key)) ended(why);
    }
  }
}

function keyOf(claim: Claim): string {
  const { actor, use, expiresAt } = claim;
  const role = actor.kind === 'user' ? [actor.member?.role, actor.operator] : [];
  return JSON.stringify([actor.kind, claimRow(claim), role, use?.action, expiresAt]);
}

let report: (error: unknown) => void = () => undefined;

/** A look that failed: what is open goes on, whatever has happened to its rights. */
export function onFailedLooks(told: typeof report): void {
  report = told;
}

/** Calls `leave` when the connection has ended, at once where it already has. */
export function whenClosed(connection: ServerResponse | Duplex, leave: () => void): void {
  if (connection.closed) leave();
  else connection.once('close', leave);
}

const known = new WeakMap<object, Rechecks>();

/** Of this process, for a pool. */
export function rechecksOf(db: Knex): Rechecks {
  const key = processKey(db);
  const rechecks = known.get(key) ?? new Rechecks(db, EVERY_MS);
  known.set(key, rechecks);
  return rechecks;
}
