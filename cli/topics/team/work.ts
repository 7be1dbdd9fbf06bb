// A team is planned for a goal, and started.
import { Option } from 'clipanion';
import type { z } from 'zod';
import type { TeamPlanIn } from '#contract/studio/collective-runtime.ts';
import { integer } from '../../lib/api-command.ts';
import { customCommand } from '../../lib/command.ts';
import { CliError } from '../../lib/errors.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { followed } from '../../simulations/follow.ts';
import { planLines, runLines } from '../../teams/show.ts';

type PlanBody = z.input<typeof TeamPlanIn>;

export const plan = customCommand('team plan', {
  about: 'pick a team of agents for a goal, and freeze its steps; nothing is called',
  details: 'A plan can be started for an hour. See the protocols with svc team protocols.',
  examples: [
    ['A change with review', 'svc team plan "Add a dark theme" --protocol code_change_with_review --path "site/**"'],
    ['With a member that you choose', 'svc team plan "What is new in SQL?" --protocol research_parallel_scouts --member writer=editor.report'],
  ],
  arguments: { goal: 'GOAL' },
  options: () => ({
    protocol: Option.String('--protocol', { description: 'how the team works (default: single_agent_task)' }),
    risk: Option.String('--risk', { description: 'low, medium or high: which gates you open (default: medium)' }),
    budget: Option.String('--budget', { description: 'low, standard or high' }),
    most: Option.String('--agents', '5', { description: 'how many agents at most' }),
    members: Option.Array('--member', [], { description: 'ROLE=AGENT or ROLE=AGENT.SKILL; several times for several' }),
    files: Option.Array('--path', [], { description: 'files of yours that members may read; several times for several' }),
    inputs: Option.String('--inputs', { description: 'JSON: what the task needs' }),
    start: Option.Boolean('--start', false, { description: 'start it at once' }),
  }),
  run: async ({ goal, protocol, risk, budget, most, members, files, inputs, start }, { client: { collectiveRuntime } }) => {
    // Safe: the API knows its protocols, risks and classes, and says which there are.
    const teamOptions = { ...(protocol !== undefined && { protocol }), ...(risk !== undefined && { risk }), ...(budget !== undefined && { budget_class: budget }) } as Partial<PlanBody>; // prettier-ignore
    const body: PlanBody = {
      goal,
      ...teamOptions,
      max_agents: integer('--agents', most, { min: 1, max: 12 }),
      members: members.map(memberOf),
      input_paths: files,
      ...(inputs !== undefined && { inputs: objectIn(inputs) }),
    };
    const team = await collectiveRuntime.plan({ body });
    const isReady = team.missing.length === 0;
    return { team, isReady, begun: start && isReady ? await collectiveRuntime.start({ body: { plan_id: team.plan_id } }) : undefined };
  },
  json: ({ team, begun }) => begun ?? team,
  lines: ({ team, begun }) => (begun ? [begun.dag_run_id] : planLines(team)),
  hint: ({ team, isReady, begun }) => {
    if (begun) return `See it with: svc team get ${begun.dag_run_id}`;
    return isReady ? `Start it with: svc team start ${team.plan_id}` : undefined;
  },
  exit: ({ isReady }) => (isReady ? EXIT.ok : EXIT.failure),
});

export const start = customCommand('team start', {
  about: 'start a planned team, once',
  examples: [['And wait for its end', 'svc team start tpl_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11 --follow']],
  arguments: { plan: 'PLAN' },
  options: () => ({ follow: Option.Boolean('--follow,-f', false, { description: 'wait until it ends, or a gate waits for you' }) }),
  run: async ({ plan: plan_id, follow }, { client: { collectiveRuntime }, output }) => {
    const begun = await collectiveRuntime.start({ body: { plan_id } });
    if (!follow) return begun;
    const { run } = await followed(output, async () => {
      const now = await collectiveRuntime.run({ params: { dag_run_id: begun.dag_run_id } });
      return { run: now, state: now.gates.length > 0 ? 'succeeded' : now.state, done: now.plan.nodes_ended, total: now.plan.nodes_total };
    });
    return run;
  },
  lines: (run, { follow }, output) => (follow ? runLines(run, output) : [run.dag_run_id]),
  hint: ({ dag_run_id }, { follow }) => (follow ? undefined : `See it with: svc team get ${dag_run_id}`),
  exit: ({ state }, { follow }) => (follow && (state === 'failed' || state === 'cancelled') ? EXIT.failure : EXIT.ok),
});

function memberOf(text: string): { role: string; agent: string; skill?: string } {
  const [role, who = ''] = text.split('=');
  const [agent, skill] = who.split('.');
  if (!role || !agent) throw new CliError(`--member needs ROLE=AGENT or ROLE=AGENT.SKILL, and not ${text}`);
  return { role, agent, ...(skill !== undefined && { skill }) };
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // said below
  }
  throw new CliError('--inputs needs a JSON object, e.g. \'{"items": [1, 2]}\'');
}
