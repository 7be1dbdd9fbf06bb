// Plan a team for a goal, and start it.
import { Command, Option } from 'clipanion';
import type { z } from 'zod';
import type { TeamPlanIn } from '#contract/studio/collective-runtime.ts';
import { ApiCommand, integer } from '../../lib/api-command.ts';
import { CliError } from '../../lib/errors.ts';
import { EXIT } from '../../lib/exit-codes.ts';

type PlanBody = z.input<typeof TeamPlanIn>;

export class TeamPlanCommand extends ApiCommand {
  static override paths = [['team', 'plan']];
  static override usage = Command.Usage({
    description: 'pick a team of agents for a goal, and freeze its steps; nothing is called',
    details: 'A plan can be started for an hour. See the protocols with svc team protocols.',
    examples: [
      ['A change with review', 'svc team plan "Add a dark theme" --protocol code_change_with_review --path "site/**"'],
      ['With a member that you choose', 'svc team plan "What is new in SQL?" --protocol research_parallel_scouts --member writer=editor.report'],
    ],
  });

  goal = Option.String({ name: 'GOAL' });
  protocol = Option.String('--protocol', { description: 'how the team works (default: single_agent_task)' });
  risk = Option.String('--risk', { description: 'low, medium or high: which gates you open (default: medium)' });
  budget = Option.String('--budget', { description: 'low, standard or high' });
  most = Option.String('--agents', '5', { description: 'how many agents at most' });
  members = Option.Array('--member', [], { description: 'ROLE=AGENT or ROLE=AGENT.SKILL; several times for several' });
  files = Option.Array('--path', [], { description: 'files of yours that members may read; several times for several' });
  inputs = Option.String('--inputs', { description: 'JSON: what the task needs' });
  start = Option.Boolean('--start', false, { description: 'start it at once' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { planLines } = await import('../../teams/show.ts');
    const api = this.client().collectiveRuntime;
    const output = this.output(this.json);
    // Safe: the API knows its protocols, risks and classes, and says which there are.
    const teamOptions = { ...(this.protocol !== undefined && { protocol: this.protocol }), ...(this.risk !== undefined && { risk: this.risk }), ...(this.budget !== undefined && { budget_class: this.budget }) } as Partial<PlanBody>; // prettier-ignore
    const body: PlanBody = {
      goal: this.goal,
      ...teamOptions,
      max_agents: integer('--agents', this.most, { min: 1, max: 12 }),
      members: this.members.map(memberOf),
      input_paths: this.files,
      ...(this.inputs !== undefined && { inputs: objectIn(this.inputs) }),
    };
    const plan = await api.plan({ body });
    if (!this.start || plan.missing.length > 0) {
      output.result(plan, () => planLines(plan));
      if (plan.missing.length === 0) output.hint(`Start it with: svc team start ${plan.plan_id}`);
      return plan.missing.length === 0 ? EXIT.ok : EXIT.failure;
    }
    const run = await api.start({ body: { plan_id: plan.plan_id } });
    output.result(run, [run.dag_run_id]);
    output.hint(`See it with: svc team show ${run.dag_run_id}`);
    return EXIT.ok;
  }
}

export class TeamStartCommand extends ApiCommand {
  static override paths = [['team', 'start']];
  static override usage = Command.Usage({
    description: 'start a planned team, once',
    examples: [['And wait for its end', 'svc team start tpl_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11 --follow']],
  });

  plan = Option.String({ name: 'PLAN' });
  follow = Option.Boolean('--follow,-f', false, { description: 'wait until it ends, or a gate waits for you' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { runLines } = await import('../../teams/show.ts');
    const { followed } = await import('../../simulations/follow.ts');
    const api = this.client().collectiveRuntime;
    const output = this.output(this.json);
    const begun = await api.start({ body: { plan_id: this.plan } });
    if (!this.follow) {
      output.result(begun, [begun.dag_run_id]);
      output.hint(`See it with: svc team show ${begun.dag_run_id}`);
      return EXIT.ok;
    }
    const { run } = await followed(output, async () => {
      const now = await api.run({ params: { dag_run_id: begun.dag_run_id } });
      return { run: now, state: now.gates.length > 0 ? 'succeeded' : now.state, done: now.plan.nodes_ended, total: now.plan.nodes_total };
    });
    output.result(run, () => runLines(run, output));
    return run.state === 'failed' || run.state === 'cancelled' ? EXIT.failure : EXIT.ok;
  }
}

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
