// A planned team, and a run of one, as lines.
import type { TeamPlanOut, TeamRunOut } from '#contract/studio/collective-runtime.ts';
import { plain, table, type Output } from '../lib/output.ts';

const cents = (value: number): string => `$${(value / 100).toFixed(2)}`;

export function planLines(plan: TeamPlanOut): string[] {
  const members = plan.members.map(({ role, agent, skill, routing_state, reason }) => [role, `${agent}.${skill}`, routing_state, plain(reason)]);
  const nodes = plan.nodes.map(({ number, step, agent, skill, depends_on, gate }) => [`${number}`, step, `${agent}.${skill}`, depends_on.join(', ') || '-', gate ? 'you open it' : '']); // prettier-ignore
  return [
    `${plan.protocol}, at most ${cents(plan.budget_cents)}, ${plan.replans} ${plan.replans === 1 ? 'replacement' : 'replacements'}`,
    '',
    ...table(['ROLE', 'WHO', 'ROUTING', 'WHY'], members),
    ...(plan.missing.length > 0 ? ['', `No agent was found for: ${plan.missing.join(', ')}. Name a member with --member ROLE=AGENT.SKILL`] : ['', ...table(['STEP', 'WHAT', 'WHO', 'AFTER', 'GATE'], nodes)]), // prettier-ignore
  ];
}

export function runLines(run: TeamRunOut, output: Output): string[] {
  const role = new Map(run.roles.map((one) => [one.number, one]));
  const rows = run.plan.nodes.map(({ number, agent, skill, state, error, receipt_id }) => {
    const { step = '', attempt = 0 } = role.get(number) ?? {};
    return [
      `${number}`,
      step,
      `${agent}.${skill}${attempt === 0 ? '' : ` (replacement ${attempt})`}`,
      state,
      error === null ? (receipt_id ?? '') : plain(error.message),
    ];
  });
  return [
    `${plain(run.goal)} (${run.state}), spent $${(run.spent_micros / 1e6).toFixed(4)} of ${cents(run.budget_cents)}`,
    '',
    ...table(['STEP', 'WHAT', 'WHO', 'STATE', 'RECEIPT'], rows),
    '',
    ...run.evidence.map(({ evidence, met, about }) => `${met ? 'met' : 'not met'}: ${evidence}. ${plain(about)}`),
    ...run.gates.map(({ number, step }) => output.advice(`Step ${number} (${step}) waits for you: svc team approve ${run.dag_run_id} --step ${number}`)),
  ];
}
