// What the platform has of a theme: live public agents, their calls and open bounties, by full text. One
// statement for all ideas.
import type { Knex } from 'knex';
import { STUDIO_RECIPES } from '#contract/states.ts';
import { listed } from '../../agents/agent/select.ts';
import { AUDIENCES, KINDS } from './recipes.ts';
import { type Market, MOST_MATCHES, type Supply } from './score.ts';
import { formsOf, wordsOfTheme } from './theme.ts';

/** Looked through for one question. */
const MOST_AGENTS = 300;
/** The newest. */
const MOST_BOUNTIES = 1_000;
/** Of a theme, the longest: a sentence stands in no agent word for word. */
const MOST_THEME_WORDS = 2;

export async function marketOf(db: Knex, theme: string): Promise<Market> {
  const words = wordsOfTheme(theme)
    .toSorted((a, b) => b.length - a.length)
    .slice(0, MOST_THEME_WORDS);
  if (words.length === 0) return { recipes: new Map(), audiences: new Map() };
  const about = words.map((word) => anyOf(formsOf(word))).join(' & ');
  const query = (some: readonly string[]): string => `${about} & ${anyOf(some.flatMap(formsOf))}`;
  const queries = [...STUDIO_RECIPES.map((recipe) => query(KINDS[recipe].words)), ...AUDIENCES.map((audience) => query(audience.words))];
  const { rows } = await db.raw<{ rows: Supply[] }>(
    `with wanted as materialized (
       select to_tsvector('simple', title || ' ' || description || ' ' || array_to_string(tags, ' ')) as words
       from bounties where state = 'open' order by created_at desc, bounty_id desc limit ${MOST_BOUNTIES}
     )
     select least(a.agents, ${MOST_MATCHES})::int as agents, a.calls, (select count(*)::int from wanted w where w.words @@ q.query::tsquery) as bounties
     from unnest(:queries::text[]) with ordinality q(query, place)
     cross join lateral (
       select count(*) as agents, coalesce(sum(call_count), 0)::bigint as calls
       from (select call_count from agents where ${listed} and search @@ q.query::tsquery limit ${MOST_AGENTS}) m
     ) a order by q.place`,
    { queries },
  );
  const supplies = <K>(keys: readonly K[], from: number): Map<K, Supply> =>
    new Map(keys.flatMap((key, at) => (rows[from + at] ? [[key, rows[from + at]] as [K, Supply]] : [])));
  return {
    recipes: supplies(STUDIO_RECIPES, 0),
    audiences: supplies(
      AUDIENCES.map(({ word }) => word),
      STUDIO_RECIPES.length,
    ),
  };
}

// Words are letters and digits only, so nothing of tsquery's own syntax gets through.
const anyOf = (words: readonly string[]): string => `(${words.map((word) => `'${word}'`).join(' | ')})`;
