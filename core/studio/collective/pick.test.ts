import { expect, test } from 'vitest';
import { protocolOf, TEAM_PROTOCOL_NAMES, TEAM_PROTOCOLS } from '#contract/studio/team-protocols.ts';
import { scoreOfEvidence } from '#contract/studio/scorecard.ts';
import type { TeamCandidate } from './candidates.ts';
import { pickTeam } from './pick.ts';
import { nodesOf } from './steps.ts';

const candidate = (agent: string, fit = 0.5): TeamCandidate => ({
  agent,
  skill: 'work',
  deploy_id: `dep_${agent}`,
  own: true,
  fit,
  // Safe: pickTeam reads the score and the routing alone.
  known: { agent_id: agent, score: scoreOfEvidence({ good: 0, bad: 0 }), routing: { routing_state: 'candidate', reason: 'New' } } as TeamCandidate['known'],
});
const all = (...agents: string[]) => agents.map((agent) => candidate(agent));
const task = { goal: 'Do it', inputs: {}, input_paths: ['a/**'], risk: 'medium' as const };

test('every protocol is whole: its steps name its roles and steps before them, and its names are the contract’s', () => {
  expect(TEAM_PROTOCOLS.map(({ protocol }) => protocol)).toEqual([...TEAM_PROTOCOL_NAMES]);
  for (const { roles, steps } of TEAM_PROTOCOLS) {
    const known = new Set<string>();
    for (const { step, role, after } of steps) {
      expect(roles.map((one) => one.role)).toContain(role);
      for (const before of after) expect(known).toContain(before);
      known.add(step);
    }
  }
});

test('who checks is nobody who did the work; without another agent the role is missing', () => {
  const protocol = protocolOf('code_change_with_review');
  const both = new Map([['author', all('a', 'b')], ['reviewer', all('a', 'b', 'c')]]); // prettier-ignore
  const { members, missing } = pickTeam(protocol, both, new Map(), { max_agents: 5 });
  expect(members.map(({ role, agent }) => [role, agent])).toEqual([['author', 'a'], ['reviewer', 'b']]); // prettier-ignore
  expect(members.find(({ role }) => role === 'reviewer')?.others).toEqual([{ agent: 'c', skill: 'work' }]);
  expect(members.find(({ role }) => role === 'author')?.others).toEqual([]);
  expect(missing).toEqual([]);
  expect(pickTeam(protocol, new Map([['author', all('a')], ['reviewer', all('a')]]), new Map(), { max_agents: 5 }).missing).toEqual(['reviewer']); // prettier-ignore
});

test('a team has no more agents than allowed, and those that were named come first', () => {
  const protocol = protocolOf('research_parallel_scouts');
  const many = new Map([['scout', all('a', 'b', 'c', 'd', 'e')], ['writer', all('e')]]); // prettier-ignore
  const roles = (most: number) => pickTeam(protocol, many, new Map(), { max_agents: most }).members.map(({ role, agent }) => `${role} ${agent}`);
  expect(roles(2)).toEqual(['scout a', 'scout e', 'writer e']);
  expect(roles(4)).toEqual(['scout a', 'scout b', 'scout c', 'scout e', 'writer e']);
  const named = pickTeam(protocol, many, new Map([['scout', all('z')]]), { max_agents: 2 });
  expect(named.members.map(({ role, agent, chosen }) => [role, agent, chosen])).toEqual([['scout', 'z', true], ['scout', 'e', false], ['writer', 'e', false]]); // prettier-ignore
});

test('steps wait for those before them; items are divided; gates stand from their risk on', () => {
  const map = protocolOf('map_reduce');
  const members = pickTeam(map, new Map([['mapper', all('a', 'b', 'c')], ['reducer', all('a')]]), new Map(), { max_agents: 5 }).members; // prettier-ignore
  const nodes = nodesOf(map, members, { ...task, inputs: { items: [1, 2, 3, 4, 5], unit: 'kg' } });
  expect(nodes.map(({ agent, depends_on, team }) => [team.step, agent, depends_on, team.brief.inputs])).toEqual([
    ['map', 'a', [], { items: [1], unit: 'kg' }],
    ['map', 'b', [], { items: [2, 3], unit: 'kg' }],
    ['map', 'c', [], { items: [4, 5], unit: 'kg' }],
    ['reduce', 'a', [1, 2, 3], { items: [1, 2, 3, 4, 5], unit: 'kg' }],
  ]);
  expect(nodesOf(map, members, { ...task, inputs: { items: [1] } })).toHaveLength(2);
  expect(nodesOf(map, members, task)).toHaveLength(2);
  const review = protocolOf('security_review');
  const two = pickTeam(review, new Map([['scanner', all('a')], ['judge', all('b')]]), new Map(), { max_agents: 5 }).members; // prettier-ignore
  expect(nodesOf(review, two, task).map(({ team, ask }) => [team.step, ask, team.mayFail])).toEqual([['scan', false, false], ['judge', false, false]]); // prettier-ignore
  expect(nodesOf(review, two, { ...task, risk: 'high' }).map(({ ask }) => ask)).toEqual([false, true]);
});
