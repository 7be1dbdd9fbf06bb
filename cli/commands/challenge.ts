import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'clipanion';
import type { FindingOut } from '#contract/quality/findings.ts';
import type { ReviewLoopDetailOut } from '#contract/studio/adversarial-review-loops.ts';
import { ApiCommand, integer } from '../lib/api-command.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { type Output, plain } from '../lib/output.ts';
import { agentName } from '../project/name.ts';

const POLL_MS = 1_500;

export class ChallengeCommand extends ApiCommand {
  static override paths = [['challenge']];
  static override usage = Command.Usage({
    description: 'challenge the live version of your agent: generated calls that try to make it misbehave',
    details:
      'The calls are real and made as you: name the skills whose effects you accept (--skills); without it, all that are not declared destructive are called. Of skills in --dry, calls are shown and none is made. Files and memory that it puts there are removed at the end. Nothing is deployed or changed; a critical finding keeps the agent from being published or upgraded until you answer it (svc findings list). With --follow it ends with 1 when a critical finding is open.',
    examples: [
      ['The project in this folder, until it has ended', 'svc challenge --follow'],
      ['Two skills, one round', 'svc challenge librarian --skills find,catalogue --iterations 1'],
      ['With an agent that reviews', 'svc challenge librarian --reviewer critic --budget 200'],
      ['Stop it', 'svc challenge librarian --stop job_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11'],
    ],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' });
  skills = Option.String('--skills', { description: 'skills that are called, with commas between (default: all that are not declared destructive)' });
  dry = Option.String('--dry', { description: 'skills for which calls are shown and none is made, with commas between' });
  iterations = Option.String('--iterations', '3', { description: 'rounds, 1 to 10; each tries other inputs' });
  budget = Option.String('--budget', '500', { description: 'cents for the language models of the agent, the reviewer and the challenge' });
  deadline = Option.String('--deadline', '900', { description: 'seconds, 30 to 7200' });
  reviewer = Option.String('--reviewer', { description: 'an agent that reads the card and the findings, and adds its own' });
  seed = Option.String('--seed', { description: 'the same seed makes the same calls (default: by chance)' });
  stop = Option.String('--stop', { description: 'stop this challenge (job_…) instead of starting one' });
  follow = Option.Boolean('--follow,-f', false, { description: 'follow it until it has ended' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const name = await agentName(this.agent, this.project);
    const api = this.client().adversarialReviewLoops;
    const output = this.output(this.json);
    if (this.stop !== undefined) {
      output.result(await api.stop({ params: { name, job_id: this.stop } }), ['It stops; its findings are kept.']);
      return EXIT.ok;
    }
    const begun = await api.create({
      params: { name },
      body: {
        skills: words(this.skills),
        dry: words(this.dry),
        iterations: integer('--iterations', this.iterations, { min: 1, max: 10 }),
        budget_cents: integer('--budget', this.budget, { min: 0, max: 100_000 }),
        deadline_seconds: integer('--deadline', this.deadline, { min: 30, max: 7200 }),
        ...(this.reviewer !== undefined && { reviewer: this.reviewer }),
        ...(this.seed !== undefined && { seed: integer('--seed', this.seed, { min: 0, max: 999_999_999 }) }),
      },
    });
    output.note(`${begun.job_id} calls ${begun.skills.join(', ') || 'nothing'} of ${name} ${begun.version ?? ''} (seed ${begun.seed}).`);
    if (begun.model === null) output.hint('With a language model (svc models set) it also tries calls that generators do not think of.');
    if (!this.follow) {
      output.result(begun, []);
      output.hint(`See what it finds with: svc findings list ${name}`);
      return EXIT.ok;
    }
    const shown = await this.#ended(name, begun.job_id, output);
    output.result(shown, () => shown.shown.flatMap((finding) => findingLines(finding, output)));
    const { critical, warning, info } = shown.findings;
    const says = `${shown.state}: ${critical} critical, ${warning} warnings, ${info} notes${shown.error ? `. ${plain(shown.error.message)}` : ''}`;
    output.note(critical > 0 ? output.bad(says) : output.good(says));
    return shown.shown.some(({ freezes }) => freezes) || shown.state !== 'succeeded' ? EXIT.failure : EXIT.ok;
  }

  async #ended(name: string, job_id: string, output: Output): Promise<ReviewLoopDetailOut> {
    const known = new Set<string>();
    let done = -1;
    for (;;) {
      const shown = await this.client().adversarialReviewLoops.get({ params: { name, job_id } });
      for (const { finding_id, severity, title, skill } of shown.shown.filter((one) => !known.has(one.finding_id))) {
        known.add(finding_id);
        output.note(plain(`${severity}: ${title}${skill === null ? '' : ` (${skill})`}`));
      }
      if (shown.ended_at !== null) return shown;
      if (shown.probes.done !== done) output.note(`round ${shown.iteration} of ${shown.iterations}, ${shown.probes.done} of ${shown.probes.planned} probes`);
      done = shown.probes.done;
      await sleep(POLL_MS);
    }
  }
}

const words = (text: string | undefined): string[] => (text ?? '').split(',').map((word) => word.trim()).filter((word) => word !== ''); // prettier-ignore

/** A finding with the calls that show it. */
export function findingLines(finding: FindingOut, output: Output): string[] {
  const { finding_id, severity, rule, skill, title, message, reproduction, confirmed, state, answer, reason, freezes } = finding;
  const calls =
    reproduction?.calls
      .slice(0, 2)
      .map(({ args, grant }) => plain(`  ${reproduction.skill} ${JSON.stringify(args).slice(0, 300)}${grant === 'none' ? '' : `, grant ${grant}`}`)) ?? [];
  const head = `${finding_id}  ${severity}  ${plain(title)}${skill === null ? '' : `  ${skill}`}  ${output.dim(rule)}`;
  return [
    '',
    freezes ? output.bad(head) : head,
    `  ${plain(message)}`,
    ...(confirmed ? [] : ['  It did not show again: nothing is frozen by it.']),
    ...calls,
    ...(state === 'open' ? [] : [plain(`  ${answer}: ${reason}`)]),
  ];
}
