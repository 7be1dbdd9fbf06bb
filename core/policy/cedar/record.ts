// Records decisions of rules. Allowed ones are written later, many in one statement; denials and questions at
// once, so that they can be read at once.
import type { Knex } from 'knex';
import type { PolicyDecisionsRow } from '#db/tables.ts';
import { batch, memoizeByKey } from '../../kernel/batch.ts';
import { processKey } from '../../kernel/settings.ts';
import { storableJson, storableText } from '../../kernel/storable.ts';
import { isTransaction } from '../../kernel/tx.ts';
import type { RuleDecision } from './decide.ts';
import { noteUnrecorded } from './health.ts';
import type { RuleFacts } from './request.ts';
import type { AccountRules } from './rules.ts';

const TOGETHER = 500;
/** Not yet written, of all accounts. */
const MAX_WAITING = 10_000;
/**
 * Kept of one account in a second, by this process, of what is allowed and of the rest: a guest that asks on
 * and on fills no table.
 */
const PER_SECOND = 100;
const MAX_ACCOUNTS = 20_000;

type NewDecision = Omit<PolicyDecisionsRow, 'request'> & { request: string };

class Recorder {
  /** Not known before this process has asked outside a transaction. */
  #pool: Knex | undefined;
  #early: NewDecision[] = [];
  #waiting = 0;
  #second = 0;
  #counts = new Map<string, number>();
  #write: ((row: NewDecision) => Promise<undefined>) | undefined;

  knows(pool: Knex): void {
    if (this.#pool) return;
    this.#pool = pool;
    this.#write = batch<NewDecision, undefined>(
      async (rows) => {
        await pool('policy_decisions').insert([...rows]).onConflict('decision_id').ignore(); // prettier-ignore
        return rows.map(() => undefined);
      },
      { maxConcurrent: 2, maxSize: TOGETHER },
    );
    for (const row of this.#early.splice(0)) void this.put(row);
  }

  /** It ends when the row is written, or cannot be. */
  async put(row: NewDecision): Promise<void> {
    if (this.#waiting + this.#early.length >= MAX_WAITING) return noteUnrecorded(1);
    if (!this.#write) return void this.#early.push(row);
    this.#waiting += 1;
    try {
      await this.#write(row);
    } catch {
      // The decision holds all the same.
      noteUnrecorded(1);
    } finally {
      this.#waiting -= 1;
    }
  }

  hasRoom(key: string, now: number): boolean {
    const second = Math.floor(now / 1_000);
    if (second !== this.#second || this.#counts.size >= MAX_ACCOUNTS) {
      this.#second = second;
      this.#counts.clear();
    }
    const count = this.#counts.get(key) ?? 0;
    this.#counts.set(key, count + 1);
    return count < PER_SECOND;
  }
}

const recorderOf = memoizeByKey((_process: object) => new Recorder());

export async function recordDecision(
  db: Knex,
  rules: AccountRules,
  { accountId, decision, facts }: { accountId: string; decision: RuleDecision; facts: RuleFacts },
): Promise<void> {
  const allowed = decision.outcome === 'allow';
  const recorder = recorderOf(processKey(db));
  const inTransaction = isTransaction(db);
  if (!inTransaction) recorder.knows(db);
  if (allowed && !rules.record_allowed) return;
  if (!recorder.hasRoom(`${accountId} ${allowed}`, facts.at)) return noteUnrecorded(1);
  const { at, ...request } = facts;
  const written = recorder.put({
    decision_id: decision.decision_id,
    owner_id: accountId,
    action: facts.action,
    outcome: decision.outcome,
    reasons: decision.reasons.map(storableText),
    rules_version: rules.version,
    policy_hash: decision.policy_hash,
    request: storableJson(request),
    decided_at: new Date(at),
  });
  // A transaction that waited for another connection could be what that one waits for.
  if (!allowed && !inTransaction) await written;
}
