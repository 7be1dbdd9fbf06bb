// Words in search of a skill: agents whose listing has any of them, and of these the skills that have most. Reads the listing only.
import type { Knex } from 'knex';
import { argsIssues } from '../../agents/call/check-args.ts';
import { alike } from '../../agents/agent/vocabulary.ts';
import { listed } from '../../agents/agent/select.ts';
import { fill } from './form.ts';
import type { Candidate } from './model.ts';
import { type FoundSkill, skillsOf } from './skills.ts';

const agentsLookedAt = 60;
const maxWords = 24;
const shown = 5;

/** Of English and German sentences; what is left says what is wanted. */
const EMPTY = new Set(
  `a about am an and any are as at be but by can could did do does for from get give had has have hello help hey hi how i if in into is it its just let like make me my
   need of on or our please she so some tell than that the their them then there these they this to up us use want was we what when where which who will with would you your
   bitte das dem den der die ein eine einen für hallo ich ist kann kannst mein meine mir mit soll und von was wie wir zu`.split(/\s+/),
);

export interface Picked {
  candidates: Candidate[];
  skills: FoundSkill[];
  /** One fits much better than all others, is the person's own or named by them, and the message has all its arguments. */
  clear: boolean;
}

export function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{2,64}/gu) ?? [];
  return [...new Set(words)].filter((word) => !EMPTY.has(word)).slice(0, maxWords);
}

export async function pickSkills(db: Knex, userId: string, text: string, limit = shown): Promise<Picked> {
  const asked = wordsOf(text);
  if (asked.length === 0) return { candidates: [], skills: [], clear: false };
  const known = await alike(db, asked);
  const words = asked.map((word) => [word, ...(known.get(word) ?? [])]);
  const { rows } = await db.raw<{ rows: { name: string; owner_id: string; description: string; card: unknown }[] }>(
    `select name, owner_id, description, card from agents
     where deleted_at is null and live_deploy_id is not null and (owner_id = :userId or (${listed}))
       and to_tsvector('simple', search_text) @@ :query::tsquery
     order by (owner_id = :userId) desc, ts_rank(to_tsvector('simple', search_text), :query::tsquery) desc, call_count desc, name
     limit ${agentsLookedAt}`,
    // Letters and digits only: nothing of tsquery's own syntax gets through.
    {
      userId,
      query: words
        .flat()
        .map((word) => `'${word}':*`)
        .join(' | '),
    },
  );
  const scored = rows
    .flatMap((row) =>
      skillsOf(row.card, { agent: row.name, mine: row.owner_id === userId }).map((found) => ({ found, score: scoreOf(found, row.description, words) })),
    )
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || Number(b.found.mine) - Number(a.found.mine) || (a.found.agent < b.found.agent ? -1 : 1))
    .slice(0, limit);
  const candidates = scored.map(({ found, score }) => candidateOf(found, score, text));
  const [best, second] = candidates;
  const trusted = best !== undefined && (best.mine || text.toLowerCase().includes(best.agent));
  const fits = best !== undefined && argsIssues(`${best.agent}.${best.skill}`, best.schema, best.args).length === 0;
  const clear = trusted && fits && best.missing.length === 0 && best.score >= 0.34 && (second?.score ?? 0) <= best.score * 0.6;
  return { candidates, skills: scored.map(({ found }) => found), clear };
}

function candidateOf({ agent, mine, skill }: FoundSkill, score: number, text: string): Candidate {
  const { args, missing } = fill(text, skill.input_schema);
  return {
    agent,
    skill: skill.id,
    title: skill.name,
    description: skill.description,
    mine,
    score: Math.round(score * 1000) / 1000,
    schema: skill.input_schema,
    args,
    missing,
    say: `@${agent}.${skill.id} ${JSON.stringify({ ...args, ...Object.fromEntries(missing.map((name) => [name, `<${name}>`])) })}`,
  };
}

/** 0 to 1: how much of what was asked it says of itself, names before descriptions. */
function scoreOf({ agent, skill }: FoundSkill, description: string, words: readonly (readonly string[])[]): number {
  const fields: [number, string[]][] = [
    [1, tokens(`${agent} ${skill.id} ${skill.name}`)],
    [0.7, tokens(skill.tags.join(' '))],
    [0.4, tokens(skill.description)],
    [0.2, tokens(description)],
  ];
  const best = (spellings: readonly string[]): number =>
    Math.max(0, ...fields.map(([weight, has]) => (spellings.some((word) => has.some((one) => same(one, word))) ? weight : 0)));
  return words.reduce((sum, spellings) => sum + best(spellings), 0) / words.length;
}

function tokens(text: string): string[] {
  return (
    text
      .slice(0, 4000)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** "summaries" and "summarize" are, "sum" and "summer" are not. */
function same(a: string, b: string): boolean {
  if (a === b) return true;
  const shorter = Math.min(a.length, b.length);
  if (shorter < 4) return false;
  const stem = Math.max(4, shorter - 2);
  return a.slice(0, stem) === b.slice(0, stem);
}
