// The steps of a protocol as nodes of a plan, for the members that were picked. Pure.
import type { TeamMemberOut, TeamPlanIn } from '#contract/studio/collective-runtime.ts';
import type { TeamProtocol, TeamStep } from '#contract/studio/team-protocols.ts';
import { RISKS } from '#contract/states.ts';
import type { PlannedNode } from '../../conversation/plan/model.ts';

export type TeamNode = PlannedNode & { team: NonNullable<PlannedNode['team']> };

export function nodesOf(
  protocol: TeamProtocol,
  members: readonly TeamMemberOut[],
  i: Pick<TeamPlanIn, 'goal' | 'inputs' | 'input_paths' | 'risk'>,
): TeamNode[] {
  const nodes: TeamNode[] = [];
  const numbers = new Map<string, number[]>();
  for (const step of protocol.steps) {
    const able = members.filter(({ role }) => role === step.role);
    const shares = sharesOf(step, able.length, i.inputs);
    const doing = step.each ? able.slice(0, shares.length) : able.slice(0, 1);
    const gate = step.gate !== undefined && RISKS.indexOf(i.risk) >= RISKS.indexOf(step.gate);
    for (const [at, member] of doing.entries()) {
      nodes.push({
        agent: member.agent,
        skill: member.skill,
        args: {},
        depends_on: step.after.flatMap((before) => numbers.get(before) ?? []),
        ask: gate,
        team: {
          step: step.step,
          role: step.role,
          brief: { goal: step.instruction === '' ? i.goal : `${step.instruction}\n\n${i.goal}`, files: i.input_paths, inputs: shares[at] ?? i.inputs },
          others: member.others,
          // With a single member, its failure is the step's.
          mayFail: step.may_fail === true && doing.length > 1,
          gate,
        },
      });
      numbers.set(step.step, [...(numbers.get(step.step) ?? []), nodes.length]);
    }
  }
  return nodes;
}

/** The inputs of each member: all, or its share of their items. No share is empty. */
function sharesOf(step: TeamStep, members: number, inputs: Record<string, unknown>): Record<string, unknown>[] {
  const items: unknown = inputs['items'];
  if (step.divides !== true || !Array.isArray(items)) return Array.from({ length: step.divides === true ? Math.min(1, members) : members }, () => inputs);
  const parts = Math.max(1, Math.min(members, items.length));
  return Array.from({ length: parts }, (_, at) => ({
    ...inputs,
    items: items.slice(Math.floor((at * items.length) / parts), Math.floor(((at + 1) * items.length) / parts)),
  }));
}
