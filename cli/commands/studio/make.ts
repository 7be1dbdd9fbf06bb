// From a goal to an agent: what is best done, and the making of it.
import { Command, Option } from 'clipanion';
import { STUDIO_DECISIONS } from '#contract/states.ts';
import type { StudioPlanOut } from '#contract/studio/studio-brief.ts';
import { oneOf } from '../../lib/api-command.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { pathsFor } from '../../lib/other-names.ts';
import { BriefCommand } from '../../studio/brief-command.ts';
import { shellWords } from '../../studio/shell-words.ts';

export class StudioResolveCommand extends BriefCommand {
  static override paths = [['studio', 'resolve']];
  static override usage = Command.Usage({
    description: 'show how to reach a goal: use, compose, fork or edit an existing agent, or build one',
    details: 'Nothing is built, deployed or called. The plan is valid for 15 minutes, and only for this brief.',
    examples: [
      ['A monitor', 'svc studio resolve harbour-watch "Tell me when the harbour page stops answering" --input url=https://harbour.example/'],
      ['Written by a language model of yours', 'svc studio resolve harbour-watch "Tell me when the harbour page stops answering" --model default --budget 300'],
    ],
  });

  async execute(): Promise<number> {
    const { planLines } = await import('../../studio/show.ts');
    const plan = await this.client().agentStudio.resolve({ body: await this.brief() });
    const output = this.output(this.json);
    output.result(plan, () => planLines(plan));
    const hint = this.#goesOn(plan);
    output.hint(hint);
    return EXIT.ok;
  }

  #goesOn({ decision, candidates, recipes, plan_id, model }: StudioPlanOut): string {
    const [best] = candidates;
    const words = shellWords(this.briefWords());
    if (decision === 'use_existing') {
      const [agent, skill] = [best?.agents[0] ?? 'AGENT', best?.skills[0] ?? 'SKILL'];
      return `Call it with: svc call ${agent} ${skill}\nOr build one of your own: svc studio create ${words} --plan ${plan_id} --decision build_new`;
    }
    const missing = decision === 'build_new' && model === null ? (recipes[0]?.missing ?? []) : [];
    if (missing.length > 0) return `Give what is missing, then resolve again: ${missing.map((name) => `--input ${name}=…`).join(' ')}`;
    return `Make it with: svc studio create ${words} --plan ${plan_id} --wait`;
  }
}

export class StudioMakeCommand extends BriefCommand {
  static override paths = pathsFor('studio create');
  static override usage = Command.Usage({
    description: 'create an agent from a goal: written, checked in a machine, reviewed, deployed for you only, called with samples',
    details:
      'It stops at its budget, after an hour, after 12 calls and after its iterations. It never publishes and grants nothing: that is left for you. With --wait it ends with 1 when the run failed or was cancelled. Cancel it with svc cancel JOB.',
    examples: [
      ['Until it is live', 'svc studio create harbour-watch "Tell me when the harbour page stops answering" --input url=https://harbour.example/ --wait'],
      ['A copy of an agent whose owner allows it', 'svc studio create my-reader "Read the total of an invoice" --decision fork --agent invoice-reader'],
    ],
  });

  plan = Option.String('--plan', { description: 'a plan of svc studio resolve, for this brief (default: it is resolved now)' });
  decision = Option.String('--decision', { description: `${STUDIO_DECISIONS.filter((one) => one !== 'use_existing').join(', ')} (default: that of the plan)` });
  agent = Option.Array('--agent', [], { description: 'to compose of, to fork or to edit (default: those of the plan); several times for several' });
  wait = Option.Boolean('--wait', false, { description: 'follow it to its end' });

  async execute(): Promise<number> {
    const body = {
      brief: await this.brief(),
      ...(this.plan !== undefined && { plan_id: this.plan }),
      ...(this.decision !== undefined && { decision: oneOf('--decision', this.decision, STUDIO_DECISIONS) }),
      ...(this.agent.length > 0 && { agents: this.agent }),
    };
    const client = this.client();
    const { startedRun } = await import('../../studio/follow.ts');
    return startedRun(client, await client.agentStudio.start({ body }), this.output(this.json), this.wait);
  }
}
