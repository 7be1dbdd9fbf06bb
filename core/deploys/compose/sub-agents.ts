// The agents that a composition names, as they are now: seen by who composes, live, of the version, with the
// skills, and set up.
import { AgentCard, type SkillCard } from '#contract/wire/card.ts';
import type { SubAgentIn } from '#contract/deploys/compose.ts';
import type { Ctx, UserActor } from '../../kernel/ctx.ts';
import { Conflict, Invalid } from '../../kernel/errors.ts';
import { rowsThatMay } from '../../kernel/policy.ts';
import { type AgentView, agentColumns, selectAgents } from '../../agents/agent/select.ts';
import { chooseOffers } from '../planner/choose.ts';
import { type Offer, offersFor } from '../planner/offers.ts';
import { fieldsOf } from '../../agents/card/setup-fields.ts';
import { missingOf, resolveFields } from '../../agents/setup/resolve.ts';
import { wordsOf } from '../composed/project/fit.ts';
import { givenTo } from './wire.ts';

export interface ResolvedSubAgent {
  /** Null: not to be had, and not required. */
  agent: string | null;
  version: string | null;
  description: string;
  skills: readonly SkillCard[];
  problem: string | null;
}

/** `setup`: names of what it lacks of who composes. */
type Look = ResolvedSubAgent & { setup?: string[] };

interface Looking {
  /** Of the composed agent. */
  name: string;
  goal: string;
  oneSkill: boolean;
  /** Skills of the sub-agents before it. */
  given: readonly SkillCard[];
}

const CANDIDATES = 20;

/**
 * In the order of the manifest; every mistake at once. @throws Invalid; Conflict setup_required (what of
 * which agent in its details)
 */
export async function findSubAgents(
  ctx: Ctx,
  user: UserActor,
  i: Omit<Looking, 'given'> & { wanted: readonly SubAgentIn[]; at: readonly string[] },
): Promise<ResolvedSubAgent[]> {
  const looks: Look[] = [];
  for (const wanted of i.wanted) {
    const given = looks.flatMap(({ skills }) => skills);
    looks.push(wanted.name === i.name ? refusal('an agent cannot be a part of itself') : await lookAt(ctx, user, wanted, { ...i, given }));
  }
  const required = looks.flatMap((look, n) => (i.wanted[n]?.required === false ? [] : [{ look, n, by: i.wanted[n]?.tag === undefined ? 'name' : 'tag' }]));
  const issues = required.flatMap(({ look: { problem, setup }, n, by }) =>
    problem === null || setup ? [] : [{ path: [...i.at, 'sub_agents', n, by], message: problem }],
  );
  if (issues.length > 0) throw new Invalid(issues);
  const lacking = required.flatMap(({ look }) => (look.setup ? [look] : []));
  if (lacking.length > 0) {
    const agents = lacking.map(({ agent, setup }) => ({ agent, fields: setup }));
    throw new Conflict('setup_required', lacking.map(({ problem }) => problem).join('; '), { agents });
  }
  return looks.map(({ setup: _setup, ...found }) => found);
}

async function lookAt(ctx: Ctx, user: UserActor, wanted: SubAgentIn, i: Looking): Promise<Look> {
  const candidates = await candidatesFor(ctx, user, wanted, i);
  const first = candidates[0];
  if (!first)
    return refusal(
      wanted.tag === undefined ? `there is no agent ${wanted.name} that you can call` : `there is no live agent with the tag ${wanted.tag} that you can call`,
    );
  const fitting = candidates.find((row) => problemOf(row, wanted) === undefined);
  const row = fitting ?? first;
  const problem = problemOf(row, wanted);
  if (problem !== undefined) return refusal(candidates.length > 1 ? `no agent with the tag ${wanted.tag} fits: ${problem}` : problem);
  const card = AgentCard.parse(row.card);
  const skills = card.skills.filter(({ id }) => wanted.skills === undefined || wanted.skills.includes(id));
  if (i.oneSkill && wanted.skills === undefined && skills.length > 1) {
    return refusal(`${row.name} has several skills: name those to call in "skills", of ${skills.map(({ id }) => id).join(', ')}`);
  }
  const subAgent = { agent: row.name, version: row.version, description: row.description, skills: inOrder(skills, wanted.skills) };
  const missing = missingOf(await resolveFields(ctx.db, { agentId: row.agent_id, fields: fieldsOf(row.card), userId: user.user_id }));
  if (missing.length === 0) return { ...subAgent, problem: null };
  const setup = missing.map(({ field }) => field.name);
  return { ...subAgent, setup, problem: `${row.name} needs ${setup.join(', ')} of you: set them with "svc setup ${row.name}"` };
}

/** For a tag the planner's choice, best first. */
async function candidatesFor(ctx: Ctx, user: UserActor, wanted: SubAgentIn, i: Looking): Promise<AgentView[]> {
  const { name, tag } = wanted;
  const { sql, bindings } = rowsThatMay(user, 'agent.call', agentColumns);
  if (tag === undefined) return selectAgents(ctx.db, `a.name = :name and ${sql}`, { name: name ?? '', ...bindings });
  const chosen = await byTag(ctx, user, { ...wanted, tag }, i);
  const rows = await selectAgents(ctx.db, `a.name = any(:names) and a.live_deploy_id is not null and ${sql}`, { names: chosen, ...bindings });
  return chosen.flatMap((one) => rows.find((row) => row.name === one) ?? []);
}

/** Names of agents that wear it: the words of the goal say which fits best. */
async function byTag(
  ctx: Ctx,
  user: UserActor,
  { tag, skills, default_args }: SubAgentIn & { tag: string },
  { name, goal, given }: Looking,
): Promise<string[]> {
  const words = wordsOf(goal);
  const offers = await offersFor(ctx, { accountId: user.user_id, words, tag });
  const argsFor = ({ skill }: Offer) => ({ ...default_args, ...givenTo(skill, given) });
  // What is lacking becomes an argument of the composed skill.
  const choices = chooseOffers(offers, { words: words.map((word) => ({ word, weight: 1 })), skills, argsFor, canAsk: true, whatever: true });
  return [...new Set(choices.map(({ found }) => found.agent))].filter((agent) => agent !== name).slice(0, CANDIDATES);
}

function problemOf(row: AgentView, { version, skills }: SubAgentIn): string | undefined {
  const card = AgentCard.safeParse(row.card);
  if (row.live_deploy_id === null || !card.success) return `${row.name} is not live: its owner deploys it`;
  if (version !== undefined && !`${row.version}.`.startsWith(`${version}.`)) return `the live version of ${row.name} is ${row.version}, not ${version}`;
  const known = card.data.skills.map(({ id }) => id);
  const unknown = skills?.find((skill) => !known.includes(skill));
  if (unknown !== undefined) return `${row.name} has no skill ${unknown}; it has ${known.join(', ')}`;
  return known.length === 0 ? `${row.name} has no skills` : undefined;
}

function inOrder(skills: readonly SkillCard[], order: readonly string[] | undefined): readonly SkillCard[] {
  return order === undefined ? skills : order.flatMap((id) => skills.find((one) => one.id === id) ?? []);
}

function refusal(problem: string): Look {
  return { agent: null, version: null, description: '', skills: [], problem };
}
