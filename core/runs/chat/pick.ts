// Words in search of a skill: agents whose listing has any of them, and of these the skills that have most. Reads the listing only.
import type { Knex } from 'knex';
import { argsIssues } from '../run/check-args.ts';
import { alike } from '../../agents/agent/vocabulary.ts';
import { bestFirst, listed } from '../../agents/agent/select.ts';
import { fill, propertiesOf } from './form.ts';
import type { Candidate } from './model.ts';
import { type FoundSkill, skillsOf } from './skills.ts';

const agentsLookedAt = 60;
const maxWords = 24;
const shown = 5;
const enough = 0.34;
/** Of the best one's score: what has more is in question too. */
const farBehind = 0.6;

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

/** A skill, and how well it fits some words. */
export interface Scored {
  found: FoundSkill;
  /** 0 to 1. */
  score: number;
}

/** Skills that may be meant, to be scored by some of the words. */
export interface Findings {
  /** Best first, those that fit not at all left out; of agents that do not answer after all others. */
  rank(words: readonly string[]): Scored[];
  /** How well the skill fits one word: 0 to 1. */
  weight(found: FoundSkill, word: string): number;
  /** Names of their arguments. */
  inputs: ReadonlySet<string>;
}

export async function pickSkills(db: Knex, userId: string, text: string, limit = shown): Promise<Picked> {
  const asked = wordsOf(text);
  const scored = (await findSkills(db, userId, asked)).rank(asked).slice(0, limit);
  const candidates = scored.map(({ found, score }) => candidateOf(found, score, text));
  const [best, second] = candidates;
  const trusted = best !== undefined && (best.mine || text.toLowerCase().includes(best.agent));
  const fits = best !== undefined && argsIssues(`${best.agent}.${best.skill}`, best.schema, best.args).length === 0;
  const clear = trusted && fits && best.missing.length === 0 && standsOut(best, second);
  return { candidates, skills: scored.map(({ found }) => found), clear };
}

export async function findSkills(db: Knex, userId: string, asked: readonly string[]): Promise<Findings> {
  if (asked.length === 0) return { rank: () => [], weight: () => 0, inputs: new Set() };
  const known = await alike(db, asked);
  const spellings = (word: string): string[] => [word, ...(known.get(word) ?? [])];
  const { rows } = await db.raw<{ rows: { name: string; owner_id: string; description: string; card: unknown; unanswered: boolean }[] }>(
    `select name, owner_id, description, card, unanswered from agents
     where deleted_at is null and live_deploy_id is not null and (owner_id = :userId or (${listed}))
       and to_tsvector('simple', search_text) @@ :query::tsquery
     order by unanswered, (owner_id = :userId) desc, ts_rank(to_tsvector('simple', search_text), :query::tsquery) desc, ${bestFirst}
     limit ${agentsLookedAt}`,
    // Letters and digits only: nothing of tsquery's own syntax gets through.
    {
      userId,
      query: asked
        .flatMap(spellings)
        .map((word) => `'${word}':*`)
        .join(' | '),
    },
  );
  const skills = rows.flatMap((row) =>
    skillsOf(row.card, { agent: row.name, mine: row.owner_id === userId }).map((found) => ({ found, fields: fieldsOf(found, row.description) })),
  );
  const silent = new Set(rows.filter(({ unanswered }) => unanswered).map(({ name }) => name));
  const weights = new Map<string, number[]>();
  const weightsOf = (word: string): number[] => {
    const counted = weights.get(word) ?? skills.map(({ fields }) => weightOf(fields, spellings(word)));
    weights.set(word, counted);
    return counted;
  };
  return {
    rank: (words) => {
      const columns = words.map(weightsOf);
      return skills
        .map(({ found }, at) => ({ found, score: columns.reduce((sum, column) => sum + (column[at] ?? 0), 0) / Math.max(1, words.length) }))
        .filter(({ score }) => score > 0)
        .sort(
          (a, b) =>
            Number(silent.has(a.found.agent)) - Number(silent.has(b.found.agent)) ||
            b.score - a.score ||
            Number(b.found.mine) - Number(a.found.mine) ||
            (a.found.agent < b.found.agent ? -1 : 1),
        );
    },
    weight: (found, word) => weightsOf(word)[skills.findIndex((one) => one.found === found)] ?? 0,
    inputs: new Set(skills.flatMap(({ found }) => Object.keys(propertiesOf(found.skill.input_schema)))),
  };
}

/** Fits well, and much better than the next. */
export function standsOut(best: { score: number }, second: { score: number } | undefined): boolean {
  return best.score >= enough && (second?.score ?? 0) <= best.score * farBehind;
}

/** Those that fit well, and not much worse than the best. */
export function inQuestion(ranked: readonly Scored[]): Scored[] {
  const [best] = ranked;
  return ranked.filter(({ score }) => score >= enough && score > (best?.score ?? 0) * farBehind);
}

export function candidateOf({ agent, mine, skill }: FoundSkill, score: number, text: string): Candidate {
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

/** What it says of itself, names before descriptions, with what a word found there counts. */
type Fields = readonly (readonly [number, readonly string[]])[];

function fieldsOf({ agent, skill }: FoundSkill, description: string): Fields {
  return [
    [1, tokens(`${agent} ${skill.id} ${skill.name}`)],
    [0.7, tokens(skill.tags.join(' '))],
    [0.4, tokens(skill.description)],
    [0.2, tokens(description)],
  ];
}

/** 0 to 1: the best place where it says the word, in any of its spellings. */
function weightOf(fields: Fields, spellings: readonly string[]): number {
  return Math.max(0, ...fields.map(([weight, has]) => (spellings.some((word) => has.some((one) => same(one, word))) ? weight : 0)));
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
