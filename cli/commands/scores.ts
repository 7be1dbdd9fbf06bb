import { Command, Option } from 'clipanion';
import { ApiCommand, integer } from '../command-base.ts';
import { percent } from '../evaluation/compare.ts';
import { plain, table } from '../output.ts';
import { agentName } from '../project/name.ts';

export class ScoresCommand extends ApiCommand {
  static override paths = [['scores']];
  static override usage = Command.Usage({
    description: 'show how many runs of your agent passed which rule, for each version, or the scores of one run',
    examples: [
      ['The project in this folder', 'svc scores'],
      ['The last month', 'svc scores librarian --days 30'],
      ['One run', 'svc scores librarian --run run_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11'],
    ],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' });
  days = Option.String('--days', '7', { description: 'how far back, 1 to 90' });
  run = Option.String('--run', { description: 'the scores of this run' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const name = await agentName(this.agent, this.project);
    return this.run === undefined ? await this.#ofVersions(name) : await this.#ofRun(name, this.run);
  }

  async #ofVersions(name: string): Promise<number> {
    const summary = await this.evaluations().summary({ params: { name }, query: { days: integer('--days', this.days, { min: 1, max: 90 }) } });
    const output = this.output(this.json);
    const rows = summary.versions.flatMap(({ number, version, live, rules, thumbs }) => {
      const of = `${number}${version === null ? '' : ` (${version})`}${live ? ' live' : ''}`;
      const scored = rules.map(({ rule, scored: n, passed, failed_runs }) => [of, rule, `${passed} of ${n}`, percent(passed / n), failed_runs[0] ?? '']);
      const { up, down } = thumbs;
      return up + down === 0 ? scored : [...scored, [of, 'thumbs', `${up} of ${up + down}`, percent(up / (up + down)), '']];
    });
    if (rows.length === 0) output.hint(`No run of ${name} was scored in this time. Make a rule with: svc rules set ${name} RULE`);
    output.result(summary, () => (rows.length === 0 ? [] : table(['DEPLOY', 'RULE', 'PASSED', 'SHARE', 'DID NOT'], rows)));
    return 0;
  }

  async #ofRun(name: string, run_id: string): Promise<number> {
    const found = await this.evaluations().runScores({ params: { name, run_id } });
    const output = this.output(this.json);
    const rows = found.scores.map(({ rule, passed, score, reason }) => [rule, passed === null ? '-' : passed ? 'passed' : 'failed', score === null ? '-' : score.toFixed(2), plain(reason ?? '')]); // prettier-ignore
    if (rows.length === 0) output.note('No rule has scored this run, or it ended less than half a minute ago.');
    const thumb = found.thumb && `Its caller: thumb ${found.thumb.up ? 'up' : 'down'}${found.thumb.comment === '' ? '' : `, "${plain(found.thumb.comment)}"`}`;
    output.result(found, () => [...(rows.length === 0 ? [] : table(['RULE', 'RESULT', 'SCORE', 'WHY'], rows)), ...(thumb ? [thumb] : [])]);
    return 0;
  }
}
