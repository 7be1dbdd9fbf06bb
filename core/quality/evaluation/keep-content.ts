// The arguments and the result of a plain call are not stored. Where a rule of its agent looks at results,
// they are stored from the end of the call until that rule has scored them. No call waits for this, and a
// call of an agent without such a rule costs one look into a map.
import type { Knex } from 'knex';
import type { EvaluationRulesRow } from '#db/tables.ts';
import { batch, memoizeByKey } from '../../kernel/batch.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { storableJson } from '../../kernel/storable.ts';
import { isPiiSafe } from '../../policy/check.ts';
import type { Outcome } from '../../runs/run/outcome.ts';
import { isSampled } from './sample.ts';

const CONTENT_KINDS = ['schema', 'matches', 'judge'];
/** Of arguments and result together; what is longer is not scored by its content. */
const MAX_BYTES = 131_072;
/** For so long a changed rule may not be known to a process. */
const REFRESH_MS = 5_000;
const MAX_RULES = 20_000;

interface Ended {
  run: { run_id: string; owner_id: string; user_id: string | null };
  route: { agentId: string };
  skill: string;
  args?: (() => unknown) | undefined;
}

export function keepContent(ctx: Ctx, call: Ended, outcome: Outcome): void {
  if (outcome.state !== 'succeeded' || !('result' in outcome)) return;
  const known = knownRulesOf(ctx.db);
  // Also after the machine's clock was set back.
  if (Math.abs(ctx.clock() - known.refreshedAt) > REFRESH_MS) void known.refresh(ctx);
  const run = { run_id: call.run.run_id, skill: call.skill };
  if (!known.rules.get(call.route.agentId)?.some((rule) => isSampled(rule, run))) return;
  const [args, result] = [storableJson(call.args?.() ?? null), storableJson(outcome.result)];
  if (args.length + result.length > MAX_BYTES) return;
  const row = { run_id: run.run_id, agent_id: call.route.agentId, args, result, kept_at: new Date(ctx.clock()) };
  void isPiiSafe(ctx.db, [call.run.owner_id, call.run.user_id])
    .then((safe) => (safe ? undefined : known.write(row)))
    .catch(() => undefined);
}

const knownRulesOf = memoizeByKey((db: Knex) => new KnownRules(db));

class KnownRules {
  rules = new Map<string, Pick<EvaluationRulesRow, 'agent_id' | 'rule' | 'skills' | 'sample'>[]>();
  refreshedAt = 0;
  readonly write: (row: { run_id: string; agent_id: string; args: string; result: string; kept_at: Date }) => Promise<undefined>;
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
    this.write = batch(
      async (rows) => {
        await db('scored_contents').insert([...rows]).onConflict('run_id').ignore(); // prettier-ignore
        return rows.map(() => undefined);
      },
      { maxConcurrent: 1, maxSize: 100 },
    );
  }

  async refresh({ clock }: Pick<Ctx, 'clock'>): Promise<void> {
    this.refreshedAt = clock();
    const rows = await this.#db('evaluation_rules')
      .where({ enabled: true })
      .whereIn('kind', CONTENT_KINDS)
      .limit(MAX_RULES)
      .select('agent_id', 'rule', 'skills', 'sample')
      .catch(() => undefined);
    if (rows) this.rules = Map.groupBy(rows, ({ agent_id }) => agent_id);
  }
}
