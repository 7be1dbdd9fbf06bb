// The skills that an account may send work to: of its own agents, and of listed ones that say a word of what
// is wanted. Reads the listing only: no agent is woken.
import type { Knex } from 'knex';
import { bestFirst, listed } from '../../agents/agent/select.ts';
import { alike } from '../../agents/search/vocabulary.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { type Field, field, weightOf } from '../composed/project/fit.ts';
import { type Known, knownOf } from './known.ts';
import { type CallableSkill, skillsOf } from './skills.ts';

/**
 * Looked at closely: own and installed ones, those that match first; and of others, those that match at all.
 */
const [OWN_LOOKED_AT, LISTED_LOOKED_AT] = [200, 100];

export interface Offer extends CallableSkill {
  deploy_id: string;
  known: Known;
  /** Of one call at most, micro-dollars; an own agent costs nothing. */
  price_micros: number;
  calls: number;
}

export interface OfferQuery {
  accountId: string;
  /** Agents of others that say none of these are not looked at. */
  words: readonly string[];
  /** Only agents with this tag, whatever they say. */
  tag?: string;
}

export interface Offers {
  all: readonly Offer[];
  /** How well each fits the word, in any spelling that the listing has: 0 to 1, in their order. */
  weightsOf: (word: string) => readonly number[];
}

interface Row {
  agent_id: string;
  name: string;
  description: string;
  tags: string[];
  card: unknown;
  live_deploy_id: string;
  call_count: number;
  prices: Record<string, number>;
}

export async function offersFor(ctx: Pick<Ctx, 'db' | 'clock'>, look: OfferQuery): Promise<Offers> {
  const alikes = await alike(ctx.db, look.words);
  const spellings = (word: string): string[] => [word, ...(alikes.get(word) ?? [])];
  const rows = await rowsFor(ctx.db, look, look.words.flatMap(spellings));
  const known = new Map(
    (await knownOf(ctx, look.accountId, 'a.agent_id = any(:ids)', { ids: rows.map(({ agent_id }) => agent_id) })).map((one) => [one.agent_id, one]),
  );
  const entries = rows.flatMap((row): { offer: Offer; fields: Field[] }[] => {
    const one = known.get(row.agent_id);
    if (!one || one.routing.routing_state === 'blocked') return [];
    const { own } = one.row;
    return skillsOf(row.card, { agent: row.name, mine: own }).map((of) => ({
      offer: { ...of, deploy_id: row.live_deploy_id, known: one, price_micros: own ? 0 : (row.prices[of.skill.id] ?? 0), calls: row.call_count },
      fields: fieldsOf(of, row),
    }));
  });
  const weights = new Map<string, readonly number[]>();
  const weightsOf = (word: string): readonly number[] => {
    const counted = weights.get(word) ?? entries.map(({ fields }) => weightOf(fields, spellings(word)));
    weights.set(word, counted);
    return counted;
  };
  return { all: entries.map(({ offer }) => offer), weightsOf };
}

async function rowsFor(db: Knex, { accountId, words, tag }: OfferQuery, spelt: readonly string[]): Promise<Row[]> {
  // Letters and digits only: nothing of tsquery's own syntax gets through.
  const query = spelt.map((word) => `'${word}':*`).join(' | ');
  const says = query === '' ? 'true' : 'search @@ :query::tsquery';
  const byWords = query === '' ? '' : 'ts_rank(search, :query::tsquery) desc,';
  const worn = tag === undefined ? '' : 'and tags @> array[:tag]::text[]';
  // Without words, and by a tag, the listing is looked at as it stands.
  const fits = tag !== undefined || words.length === 0 ? 'true' : says;
  const { rows } = await db.raw<{ rows: Row[] }>(
    `with own as (
       select agent_id from agents a where deleted_at is null and live_deploy_id is not null ${worn}
         and (owner_id = :account or exists (select 1 from installed_agents i where i.user_id = :account and i.agent_id = a.agent_id and a.visibility = 'public'))
       order by unanswered, ${query === '' ? '' : `(${says}) desc,`} ${bestFirst} limit ${OWN_LOOKED_AT}
     ), others as (
       select agent_id from agents where ${listed} and owner_id <> :account ${worn} and ${fits}
       order by unanswered, ${byWords} ${bestFirst} limit ${LISTED_LOOKED_AT}
     )
     select a.agent_id, a.name, a.description, a.tags, a.card, a.live_deploy_id, a.call_count, coalesce(p.prices, '{}') as prices from agents a
     left join lateral (
       select jsonb_object_agg(skill, max_micros) as prices from skill_prices where agent_id = a.agent_id and valid_until is null
     ) p on true
     where a.agent_id in (select agent_id from own union select agent_id from others)`,
    { account: accountId, ...(query === '' ? {} : { query }), ...(tag === undefined ? {} : { tag }) },
  );
  return rows;
}

/** What it says of itself: names before descriptions. */
function fieldsOf({ agent, skill }: CallableSkill, { description, tags }: Row): Field[] {
  return [
    field(1, `${agent} ${skill.id} ${skill.name}`),
    field(0.7, [...skill.tags, ...tags].join(' ')),
    field(0.4, skill.description),
    field(0.2, description),
  ];
}
