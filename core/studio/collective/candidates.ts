// Who could do what a role asks for: skills of agents that the account may call, by the words that they share with the role and the goal.
import type { TeamRole } from '#contract/studio/team-protocols.ts';
import type { Risk } from '#contract/states.ts';
import { AgentCard, type SkillCard } from '#contract/wire/card.ts';
import { ON_EMAIL } from '#contract/wire/mail.ts';
import { bestFirst, listed } from '../../agents/agent/select.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { isIn, tellingWords, tsquery, wordsOf } from '../../kernel/words.ts';
import { type Known, knownOf } from './scorecards.ts';

export interface Candidate {
  agent: string;
  skill: string;
  deploy_id: string;
  own: boolean;
  fit: number;
  known: Known;
}

/** Looked at closely, of those that match at all. */
const [OWN_LOOKED_AT, LISTED_LOOKED_AT] = [200, 200];

/** Every skill that shares a word with the role or the goal, best first. */
export async function candidatesFor(ctx: Ctx, accountId: string, roles: readonly TeamRole[], goal: string, risk: Risk): Promise<Map<string, Candidate[]>> {
  const goalWords = tellingWords(wordsOf(goal));
  const words = [...new Set([...roles.flatMap(({ words: own }) => own.filter((word) => word !== '')), ...goalWords])];
  const query = words.length === 0 ? '' : tsquery(words, '|');
  const { rows } = await ctx.db.raw<{ rows: { agent_id: string; card: unknown; live_deploy_id: string }[] }>(
    `with own as (
       select agent_id from agents a where deleted_at is null and live_deploy_id is not null
         and (owner_id = :account or exists (select 1 from installed_agents i where i.user_id = :account and i.agent_id = a.agent_id))
       order by ${bestFirst} limit ${OWN_LOOKED_AT}
     ), others as (
       select agent_id from agents where ${listed} ${query === '' ? '' : 'and search @@ :query::tsquery'} order by ${bestFirst} limit ${LISTED_LOOKED_AT}
     )
     select agent_id, card, live_deploy_id from agents where agent_id in (select agent_id from own union select agent_id from others)`,
    { account: accountId, ...(query === '' ? {} : { query }) },
  );
  const known = new Map(
    (await knownOf(ctx, accountId, 'a.agent_id = any(:ids)', { ids: rows.map(({ agent_id }) => agent_id) })).map((one) => [one.agent_id, one]),
  );
  const skills = rows.flatMap(({ agent_id, card, live_deploy_id }) => {
    const parsed = AgentCard.safeParse(card);
    const one = known.get(agent_id);
    if (!parsed.success || !one || !isAllowed(one, risk)) return [];
    return parsed.data.skills.filter(isHarmless).map((skill) => ({ skill, one, deploy_id: live_deploy_id, texts: textsOf(parsed.data, skill) }));
  });
  return new Map(
    roles.map((role) => [
      role.role,
      skills
        .map(({ skill, one, deploy_id, texts }) => ({
          agent: one.row.name,
          skill: skill.id,
          deploy_id,
          own: one.row.own,
          fit: fitOf(texts, role.words, goalWords),
          known: one,
        }))
        .filter(({ fit }) => fit > 0)
        .toSorted((a, b) => worth(b) - worth(a) || (a.agent < b.agent ? -1 : 1)),
    ]),
  );
}

/** How well it fits counts most, then what is surely good of it; one's own agent wins among equals. */
const worth = ({ fit, known, own }: Candidate): number => 0.6 * fit + 0.35 * known.score.low + (own ? 0.05 : 0);

const isHarmless = ({ id, policy }: SkillCard): boolean => id !== ON_EMAIL && policy.destructive !== true;

function isAllowed({ row, routing }: Known, risk: Risk): boolean {
  if (routing.routing_state === 'blocked' || routing.routing_state === 'degraded') return false;
  return row.own || risk !== 'high' || routing.routing_state === 'trusted';
}

function textsOf(card: AgentCard, skill: SkillCard): Set<string> {
  const words = [card.name, card.description, skill.id, skill.name, skill.description, ...skill.tags].join(' ').toLowerCase().match(/[\p{L}\p{N}]+/gu); // prettier-ignore
  return new Set(words ?? []);
}

/** 0 to 1: words of the role count twice. */
export function fitOf(texts: ReadonlySet<string>, roleWords: readonly string[], goalWords: readonly string[]): number {
  const wanted = [...roleWords.filter((word) => word !== '').map((word) => ({ word, weight: 2 })), ...goalWords.map((word) => ({ word, weight: 1 }))];
  const all = wanted.reduce((sum, { weight }) => sum + weight, 0);
  if (all === 0) return 0;
  return wanted.filter(({ word }) => isIn(texts, word)).reduce((sum, { weight }) => sum + weight, 0) / all;
}
