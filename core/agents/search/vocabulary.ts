// Words that agents' names, tags and skills are made of: what a misspelt word is compared with, instead of
// every agent's text.
import type { Knex } from 'knex';

const word = /\p{L}{4,32}/gu;
/** One agent cannot fill the vocabulary. */
const wordsPerAgent = 64;
/** Of 1; "shortner" is 0.6 like "shortener". */
const alikeFrom = 0.4;
const alternatives = 3;

export async function indexVocabulary(tx: Knex.Transaction, a: { name: string; tags: readonly string[]; skills: readonly string[] }): Promise<void> {
  const words = [...new Set([a.name, ...a.tags, ...a.skills].flatMap((text) => text.toLowerCase().match(word) ?? []))].slice(0, wordsPerAgent);
  // Sorted: two transactions that learn the same words wait for each other in one order.
  if (words.length > 0)
    await tx('search_words')
      .insert(words.sort().map((one) => ({ word: one })))
      .onConflict('word')
      .ignore();
}

/**
 * Known words that are spelt much like the asked ones, by the asked one; short words and numbers have none.
 */
export async function alike(db: Knex, asked: readonly string[]): Promise<Map<string, string[]>> {
  const words = asked.filter((one) => one.match(word)?.[0] === one);
  if (words.length === 0) return new Map();
  const { rows } = await db.raw<{ rows: { asked: string; known: string }[] }>(
    `select asked, known.word as known from unnest(:words::text[]) asked
     cross join lateral (
       select s.word from search_words s where s.word % asked and s.word <> asked and similarity(s.word, asked) >= ${alikeFrom}
       order by similarity(s.word, asked) desc, s.word limit ${alternatives}
     ) known`,
    { words },
  );
  const rowsByWord = Map.groupBy(rows, (row) => row.asked);
  return new Map([...rowsByWord].map(([one, some]) => [one, some.map((row) => row.known)]));
}
