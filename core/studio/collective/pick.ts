// Who is in the team: named members first, then for each role those that are worth most, within the number of
// agents that the person allows. Pure.
import type { TeamMemberOut, TeamPlanIn } from '#contract/studio/collective-runtime.ts';
import type { TeamProtocol, TeamRole } from '#contract/studio/team-protocols.ts';
import type { TeamCandidate } from './candidates.ts';

const MOST_OTHERS = 3;

export interface TeamPick {
  members: TeamMemberOut[];
  missing: string[];
}

/** `named`: members that the person chose, as candidates of their role. */
export function pickTeam(
  protocol: TeamProtocol,
  candidates: ReadonlyMap<string, readonly TeamCandidate[]>,
  named: ReadonlyMap<string, readonly TeamCandidate[]>,
  i: Pick<TeamPlanIn, 'max_agents'>,
): TeamPick {
  const chosen = new Map<string, { one: TeamCandidate; chosen: boolean }[]>(
    protocol.roles.map(({ role }) => [role, (named.get(role) ?? []).map((one) => ({ one, chosen: true }))]),
  );
  const agents = new Set([...chosen.values()].flatMap((all) => all.map(({ one }) => one.agent)));
  const elsewhere = (role: TeamRole): Set<string> =>
    new Set(
      protocol.roles.flatMap((other) =>
        other.role !== role.role && (other.apart || role.apart) ? (chosen.get(other.role) ?? []).map(({ one }) => one.agent) : [],
      ),
    );
  const add = (role: TeamRole): boolean => {
    const mine = chosen.get(role.role) ?? [];
    const barred = elsewhere(role);
    const next = (candidates.get(role.role) ?? []).find(
      ({ agent }) => !mine.some(({ one }) => one.agent === agent) && !barred.has(agent) && (agents.has(agent) || agents.size < i.max_agents),
    );
    if (!next) return false;
    mine.push({ one: next, chosen: false });
    agents.add(next.agent);
    return true;
  };
  for (const role of protocol.roles) while ((chosen.get(role.role)?.length ?? 0) < role.at_least && add(role));
  // What is left of the allowed number, one for each role in turn.
  for (let more = true; more;) {
    more = false;
    for (const role of protocol.roles) if ((chosen.get(role.role)?.length ?? 0) < role.at_most && add(role)) more = true;
  }
  const members = protocol.roles.flatMap((role) => (chosen.get(role.role) ?? []).map((member) => presented(role, member, candidates, elsewhere(role), chosen)));
  return { members, missing: protocol.roles.filter(({ role, at_least }) => (chosen.get(role)?.length ?? 0) < at_least).map(({ role }) => role) };
}

function presented(
  role: TeamRole,
  { one, chosen: isChosen }: { one: TeamCandidate; chosen: boolean },
  candidates: ReadonlyMap<string, readonly TeamCandidate[]>,
  barred: ReadonlySet<string>,
  chosen: ReadonlyMap<string, readonly { one: TeamCandidate }[]>,
): TeamMemberOut {
  const taken = new Set((chosen.get(role.role) ?? []).map((member) => member.one.agent));
  const others = (candidates.get(role.role) ?? []).filter(({ agent }) => !taken.has(agent) && !barred.has(agent)).slice(0, MOST_OTHERS);
  const { agent, skill, deploy_id, own, fit, known } = one;
  const why = isChosen ? 'You named it' : `${Math.round(fit * 100)} % of the words of the role and the goal fit ${skill}`;
  return {
    role: role.role,
    agent,
    skill,
    deploy_id,
    own,
    fit,
    low: known.score.low,
    routing_state: known.routing.routing_state,
    chosen: isChosen,
    others: others.map((other) => ({ agent: other.agent, skill: other.skill })),
    reason: `${why}; ${known.routing.reason}`,
  };
}
