// The rules of accounts: kept in versions, replaced as a whole. Every process believes what it read for a
// second, and reads again at once where they were written.
import type { Knex } from 'knex';
import type { PolicyRulesIn, PolicyRulesOut } from '#contract/policy/policy-rules.ts';
import type { PolicyRulesRow } from '#db/tables.ts';
import { act, done } from '../../kernel/act.ts';
import { batch, memoizeByKey } from '../../kernel/batch.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, Invalid, NotFound } from '../../kernel/errors.ts';
import { requireUser } from '../../kernel/policy.ts';
import { processKey } from '../../kernel/settings.ts';
import { storableJson } from '../../kernel/storable.ts';
import { isTransaction } from '../../kernel/tx.ts';
import { tryApart } from './apart.ts';
import { ruleSetHash, type NamedRule } from './rule-set.ts';
import { brokenBy, type Evaluated, isShort } from './process-engine.ts';

const BELIEVED_MS = 1_000;
const MAX_ACCOUNTS = 20_000;
const SHOWN_VERSIONS = 20;
/** Decisions name the rules by their hash: they are kept beyond all that one changes in a day. */
const STORED_VERSIONS = 200;

export interface AccountRules extends Evaluated {
  version: number;
  hash: string;
  record_allowed: boolean;
}

interface Known {
  rules: AccountRules | undefined;
  /** Of a clock that is never set back. */
  until: number;
}
const knownOf = memoizeByKey((_process: object) => new Map<string, Known>());

/** Undefined: nothing is decided by rules, and nothing is to be noted. `db` may be a transaction. */
export async function rulesOf(db: Knex, accountId: string): Promise<AccountRules | undefined> {
  const known = knownOf(processKey(db));
  const entry = known.get(accountId);
  if (entry && entry.until > performance.now()) return entry.rules;
  const until = performance.now() + BELIEVED_MS;
  const row = isTransaction(db) ? (await newest(db, [accountId]))[0] : await reader(db)(accountId);
  // The same version is the same object: what was prepared of it stays prepared.
  const rules = row && (entry?.rules?.version === row.version ? entry.rules : rulesIn(row));
  known.delete(accountId);
  const oldest = known.size >= MAX_ACCOUNTS ? known.keys().next().value : undefined;
  if (oldest !== undefined) known.delete(oldest);
  known.set(accountId, { rules, until });
  return rules;
}

const anyKnown = memoizeByKey((_process: object) => ({ any: true, until: 0 }));

/** Whether hosts must ask about connections: an account has rules, or denies access to the outside. */
export async function anyNetworkRules(db: Knex): Promise<boolean> {
  const known = anyKnown(processKey(db));
  if (known.until > performance.now()) return known.any;
  const until = performance.now() + BELIEVED_MS;
  const { rows } = await db.raw<{ rows: [{ any: boolean }] }>(
    `select exists (select 1 from policy_rules) or exists (select 1 from control_room_policies where deny_external_network) as any`,
  );
  return Object.assign(known, { any: rows[0].any, until }).any;
}

/** Accounts that are looked up at the same time share a query. */
const reader = memoizeByKey((db: Knex) =>
  batch<string, PolicyRulesRow | undefined>(
    async (accounts) => {
      const rows = new Map((await newest(db, [...new Set(accounts)])).map((row) => [row.owner_id, row]));
      return accounts.map((id) => rows.get(id));
    },
    { maxConcurrent: 4, maxSize: 200 },
  ),
);

function newest(db: Knex, accounts: readonly string[]): Promise<PolicyRulesRow[]> {
  return db('policy_rules').whereIn('owner_id', accounts).distinctOn('owner_id').orderBy([{ column: 'owner_id' }, { column: 'version', order: 'desc' }]).select('*'); // prettier-ignore
}

/** Rules that forbid nothing, and note nothing, are none. */
function rulesIn(row: PolicyRulesRow): AccountRules | undefined {
  const policies = policiesOf(row);
  if (policies.length === 0 && row.default_outcome === 'allow' && !row.record_allowed) return undefined;
  const { version, hash, default_outcome, record_allowed } = row;
  return { key: `${row.owner_id} ${version}`, policies, default_outcome, version, hash, record_allowed, short: isShort(policies) };
}

// Safe: only saveRules writes them, and the engine takes nothing but text.
function policiesOf(row: PolicyRulesRow): NamedRule[] {
  return row.policies as NamedRule[];
}

/** @throws NotFound policy_rules_not_found: the version does not exist, or was removed */
export async function readRules(ctx: Ctx, i: { version?: number | undefined }): Promise<PolicyRulesOut> {
  const { user_id } = requireUser(ctx, 'policy_rules.read');
  const row =
    i.version === undefined ? (await newest(ctx.db, [user_id]))[0] : await ctx.db('policy_rules').where({ owner_id: user_id, version: i.version }).first();
  if (i.version !== undefined && !row) throw new NotFound('policy_rules_not_found', 'The rules have no such version, or it is no longer kept: see history');
  const rules = row && rulesIn(row);
  const broken = rules && (await brokenBy(user_id, rules));
  return { ...(await shown(ctx.db, user_id, row)), broken: broken ? BROKEN[broken] : null };
}

/**
 * @throws Invalid with each problem and its place; Conflict version_conflict; TooManyRequests rate_limited
 */
export async function saveRules(ctx: Ctx, i: PolicyRulesIn): Promise<PolicyRulesOut> {
  const { user_id } = requireUser(ctx, 'policy_rules.put');
  const { policies, default_outcome, record_allowed } = i;
  const { inspected } = await tryApart(user_id, { set: { key: 'new', policies, default_outcome }, facts: [] });
  const { problems, warnings } = inspected;
  if (problems.length > 0)
    throw new Invalid(
      problems.map((one) => ({ path: pathOf(i, one), message: sentenceOf(one) })),
      { problems },
    );
  const out = await act(ctx, 'policy_rules.put', requireUser, async (ctx) => {
    const version = i.version + 1;
    const now = (await newest(ctx.db, [user_id]))[0]?.version ?? 0;
    if (now !== i.version) throw changed(now);
    const hash = ruleSetHash(i);
    const stored = { owner_id: user_id, version, default_outcome, record_allowed, policies: storableJson(policies), hash, created_at: new Date(ctx.clock()) };
    const saved = await ctx.db('policy_rules').insert(stored).onConflict(['owner_id', 'version']).ignore().returning('version'); // prettier-ignore
    // Another transaction was first, and has committed by now.
    if (saved.length === 0) throw changed(version);
    await ctx.db('policy_rules').where({ owner_id: user_id }).where('version', '<=', version - STORED_VERSIONS).delete(); // prettier-ignore
    const facts = { version, hash, policies: policies.length, default_outcome, record_allowed };
    return done({ user: user_id }, facts, await shown(ctx.db, user_id, (await newest(ctx.db, [user_id]))[0]));
  });
  knownOf(processKey(ctx.db)).delete(user_id);
  return { ...out, warnings };
}

function changed(version: number): Conflict {
  return new Conflict('version_conflict', `The rules are at version ${version} now: read them again, then repeat the change`, { version });
}

type Problem = PolicyRulesOut['warnings'][number];

function pathOf(i: PolicyRulesIn, { policy }: Problem): (string | number)[] {
  const at = i.policies.findIndex(({ name }) => name === policy);
  return at === -1 ? ['policies'] : ['policies', at, 'text'];
}

function sentenceOf({ policy, line, column, message, help }: Problem): string {
  const place = [policy ?? '', line === null ? '' : `line ${line}, column ${column}`].filter((part) => part !== '').join(', ');
  return `${place === '' ? '' : `${place}: `}${message}${help === null ? '' : ` (${help})`}`;
}

type Listed = Pick<PolicyRulesRow, 'version' | 'hash' | 'default_outcome' | 'created_at'> & { policies: number };

/** As if they can be evaluated. */
async function shown(db: Knex, userId: string, row: PolicyRulesRow | undefined): Promise<PolicyRulesOut> {
  const history = await db('policy_rules')
    .where({ owner_id: userId })
    .orderBy('version', 'desc')
    .limit(SHOWN_VERSIONS)
    .select<Listed[]>('version', 'hash', 'default_outcome', 'created_at', db.raw('jsonb_array_length(policies) as policies'));
  return {
    policies: row ? policiesOf(row) : [],
    default_outcome: row?.default_outcome ?? 'allow',
    record_allowed: row?.record_allowed ?? true,
    version: row?.version ?? 0,
    hash: row?.hash ?? null,
    updated_at: row?.created_at.toISOString() ?? null,
    broken: null,
    warnings: [],
    history: history.map(({ created_at, ...one }) => ({ ...one, created_at: created_at.toISOString() })),
  };
}

const BROKEN = {
  trap: 'The engine could not evaluate these rules: all they would decide over is denied. Save them with simpler conditions.',
  unparsable: 'These rules no longer parse: all they would decide over is denied. Save them again; what is wrong is then said.',
  rule_failed: 'A rule fails.',
  request: 'The facts do not fit the schema.',
  slow: 'These rules take too long to evaluate: what they would decide over is denied meanwhile. Save fewer or shorter ones.',
};
