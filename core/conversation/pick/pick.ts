// Words of a message in search of a skill: the planner's choice, for one that a person asks for and may still
// be asked about.
import { argsIssuesApart } from '../../runs/run/check-args.ts';
import { wordsOf } from '../../deploys/composed/project/fit.ts';
import { chooseOffers, type Choice } from '../../deploys/planner/choose.ts';
import { type Offers, offersFor } from '../../deploys/planner/offers.ts';
import type { CallableSkill } from '../../deploys/planner/skills.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { fill, schemaProperties } from './form.ts';
import type { Candidate } from '../chat/model.ts';

const shown = 5;
const enough = 0.34;
/** Of the best one's score: what has more is in question too. */
const farBehind = 0.6;

export interface SkillPick {
  candidates: Candidate[];
  skills: CallableSkill[];
  /**
   * One fits much better than all others, is the person's own or named by them, and the message has all its
   * arguments.
   */
  clear: boolean;
}

/** A skill, and how well it fits some words. */
export interface Scored {
  found: CallableSkill;
  /** 0 to 1. */
  score: number;
}

/** Skills that may be meant, to be scored by some of the words. */
export interface Findings {
  /** Best first, those that fit not at all left out. */
  rank(words: readonly string[]): Scored[];
  /** How well the skill fits one word: 0 to 1. */
  weight(found: CallableSkill, word: string): number;
  /** Names of their arguments. */
  inputs: ReadonlySet<string>;
}

type Reading = Pick<Ctx, 'db' | 'clock'>;

export async function pickSkills(ctx: Reading, userId: string, text: string, limit = shown): Promise<SkillPick> {
  const words = wordsOf(text);
  const ranked = ranking(await offersOf(ctx, userId, words), words, text);
  const candidates = ranked.slice(0, limit).map(({ found, score }) => candidateOf(found, score, text));
  const [best] = candidates;
  const trusted = best !== undefined && (best.mine || text.toLowerCase().includes(best.agent));
  const fits = best !== undefined && (await argsIssuesApart(best.agent, best.schema, best.args)).length === 0;
  const clear = trusted && fits && best.missing.length === 0 && standsOut(ranked);
  return { candidates, skills: ranked.slice(0, limit).map(({ found }) => found), clear };
}

export async function findSkills(ctx: Reading, userId: string, asked: readonly string[]): Promise<Findings> {
  const offers = await offersOf(ctx, userId, asked);
  const places = new Map<CallableSkill, number>(offers.all.map((offer, at) => [offer, at]));
  return {
    rank: (words) => ranking(offers, words),
    weight: (found, word) => offers.weightsOf(word)[places.get(found) ?? -1] ?? 0,
    inputs: new Set(offers.all.flatMap(({ skill }) => Object.keys(schemaProperties(skill.input_schema)))),
  };
}

async function offersOf(ctx: Reading, accountId: string, words: readonly string[]): Promise<Offers> {
  return words.length === 0 ? { all: [], weightsOf: () => [] } : offersFor(ctx, { accountId, words });
}

function ranking(offers: Offers, words: readonly string[], text?: string): Choice[] {
  return chooseOffers(offers, {
    words: words.map((word) => ({ word, weight: 1 })),
    canAsk: true,
    ...(text !== undefined && { argsFor: ({ skill }) => fill(text, skill.input_schema).args }),
  });
}

/** The first fits well, and much better than all others. */
export function standsOut([best, ...others]: readonly Scored[]): boolean {
  return best !== undefined && best.score >= enough && others.every(({ score }) => score <= best.score * farBehind);
}

/** Those that fit well, and not much worse than the best. */
export function inQuestion(ranked: readonly Scored[]): Scored[] {
  const best = Math.max(0, ...ranked.map(({ score }) => score));
  return ranked.filter(({ score }) => score >= enough && score > best * farBehind);
}

export function candidateOf({ agent, mine, skill }: CallableSkill, score: number, text: string): Candidate {
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
