// What could be reused for a goal: by the words it shares with agents and skills, by the arguments that the
// brief has, by what is known of the agents, by price.
import { percent } from '#contract/studio/percent.ts';
import type { StudioBrief, StudioCandidate } from '#contract/studio/studio-brief.ts';
import { AgentCard, type SkillCard } from '#contract/wire/card.ts';
import type { AgentsRow } from '#db/tables.ts';
import { isForkable } from '../../agents/agent/visibility.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { tellingWords, wordsOf } from '../../agents/search/words.ts';
import { type TeamCandidate, candidatesFor } from '../collective/candidates.ts';

const LOOKED_AT = 12;
const SHOWN = 5;
const MOST_WORDS = 40;
/** From here on a skill does what the goal says. */
const DOES_IT = 0.6;
/** From here on it is worth changing. */
const COMES_NEAR = 0.35;
/** Of agents of others: from here on they are used without a closer look. */
const TRUSTED = 0.5;
const MOST_PARTS = 3;

interface Looked extends TeamCandidate {
  card: SkillCard;
  inputs_fit: number;
  price_micros: number | null;
  forkable: boolean;
}

/** Best first; each with what would be done. Without build_new, which is always there. */
export async function reusable(ctx: Ctx, accountId: string, brief: StudioBrief): Promise<StudioCandidate[]> {
  const words = tellingWords(wordsOf(brief.goal, MOST_WORDS));
  const role = { role: 'goal', words, at_least: 1, at_most: 1, about: brief.goal };
  const candidates = (await candidatesFor(ctx, accountId, { roles: [role], goal: brief.goal, risk: 'low' })).get('goal') ?? [];
  const looked = await lookAt(ctx, oneSkillEach(candidates).slice(0, LOOKED_AT), brief);
  const single = looked.flatMap((one) => {
    const decided = decide(one);
    return decided ? [candidate(decided.decision, [one], decided.reason, one.fit)] : [];
  });
  const together = composed(looked, words);
  return [...(together ? [together] : []), ...single].toSorted((a, b) => worth(b) - worth(a)).slice(0, SHOWN);
}

/** Less work first among those that do it; then what fits best. */
const ORDER = { use_existing: 3, compose: 2, fork: 1, edit_existing: 1, build_new: 0 } as const;
const worth = ({ decision, fit }: StudioCandidate): number => ORDER[decision] + fit;

function oneSkillEach(found: readonly TeamCandidate[]): TeamCandidate[] {
  const best = new Map<string, TeamCandidate>();
  for (const one of found) if (!best.has(one.agent)) best.set(one.agent, one);
  return [...best.values()];
}

async function lookAt(ctx: Ctx, found: readonly TeamCandidate[], brief: StudioBrief): Promise<Looked[]> {
  if (found.length === 0) return [];
  const ids = found.map(({ known }) => known.agent_id);
  const { rows } = await ctx.db.raw<{
    rows: ({ agent_id: string; card: unknown; prices: Record<string, number> } & Pick<AgentsRow, 'reuse_policy' | 'visibility'>)[];
  }>(
    `select a.agent_id, a.card, a.reuse_policy, a.visibility, coalesce(p.prices, '{}') as prices from agents a
     left join lateral (
       select jsonb_object_agg(skill, case when max_micros = call_micros then call_micros else -1 end) as prices
       from skill_prices where agent_id = a.agent_id and valid_until is null
     ) p on true
     where a.agent_id = any(:ids)`,
    { ids },
  );
  const of = new Map(rows.map((row) => [row.agent_id, row]));
  return found.flatMap((one) => {
    const row = of.get(one.known.agent_id);
    const card = AgentCard.safeParse(row?.card).data?.skills.find(({ id }) => id === one.skill);
    if (!row || !card) return [];
    const price = row.prices[one.skill] ?? 0;
    return [{ ...one, card, inputs_fit: inputsFit(card, brief.inputs), price_micros: one.own ? 0 : price < 0 ? null : price, forkable: isForkable(row) }];
  });
}

/** 0 to 1: of the arguments that must be given, those that the brief has. */
function inputsFit({ input_schema }: Pick<SkillCard, 'input_schema'>, inputs: Readonly<Record<string, unknown>>): number {
  const required = Array.isArray(input_schema.required) ? input_schema.required.filter((name): name is string => typeof name === 'string') : [];
  return required.length === 0 ? 1 : required.filter((name) => name in inputs).length / required.length;
}

function decide({ fit, own, known, skill, agent, forkable }: Looked): { decision: StudioCandidate['decision']; reason: string } | undefined {
  const says = `${agent}.${skill} says ${percent(fit)} of the words of the goal`;
  if (fit >= DOES_IT && (own || known.score.low >= TRUSTED)) return { decision: 'use_existing', reason: `${says}; ${known.routing.reason}` };
  if (fit >= COMES_NEAR && own) return { decision: 'edit_existing', reason: `${says}, and it is yours` };
  if (fit >= COMES_NEAR && forkable) return { decision: 'fork', reason: `${says}, and its owner lets others take its source` };
  return undefined;
}

/** Each part adds words that those before it do not say. */
function composed(looked: readonly Looked[], words: readonly string[]): StudioCandidate | undefined {
  const usable = looked.filter(({ own, known }) => own || known.score.low >= TRUSTED);
  const parts: Looked[] = [];
  let coveredWords = new Set<string>();
  for (const one of usable) {
    const now = new Set([...coveredWords, ...words.filter((word) => saysWord(one, word))]);
    if (parts.length === MOST_PARTS || now.size === coveredWords.size) continue;
    parts.push(one);
    coveredWords = now;
  }
  const fit = words.length === 0 ? 0 : coveredWords.size / words.length;
  if (parts.length < 2 || fit < DOES_IT) return undefined;
  return candidate('compose', parts, `${parts.map(({ agent }) => agent).join(' and ')} together say ${percent(fit)} of the words of the goal`, fit);
}

function saysWord({ card, agent, known }: Looked, word: string): boolean {
  return [agent, known.row.description, card.name, card.description, ...card.tags].join(' ').toLowerCase().includes(word);
}

function candidate(decision: StudioCandidate['decision'], parts: readonly Looked[], reason: string, fit: number): StudioCandidate {
  const prices = parts.map(({ price_micros }) => price_micros);
  return {
    decision,
    agents: parts.map(({ agent }) => agent),
    skills: parts.map(({ skill }) => skill),
    own: parts.every(({ own }) => own),
    fit,
    inputs_fit: Math.min(...parts.map(({ inputs_fit }) => inputs_fit)),
    trust: Math.min(...parts.map(({ known }) => known.score.low)),
    price_micros: prices.includes(null) ? null : prices.reduce<number>((sum, price) => sum + (price ?? 0), 0),
    reason,
  };
}
