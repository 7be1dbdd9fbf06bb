import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'clipanion';
import type { EvaluationDetailOut, EvaluationOut, EvaluationResultOut } from '#contract/quality/evaluations.ts';
import { allExamples, type EvaluationApi } from '../evaluation/client.ts';
import type { Row, Shares } from '../evaluation/compare.ts';
import { ApiCommand, share } from '../lib/api-command.ts';
import { CliError } from '../lib/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { type Output, plain, table } from '../lib/output.ts';
import { agentName } from '../project/name.ts';

const POLL_MS = 1_000;
const SHOWN_FAILURES = 10;

export class EvalCommand extends ApiCommand {
  static override paths = [['eval']];
  static override usage = Command.Usage({
    description: 'run a dataset against the live version, score it, and fail where it got worse',
    details:
      'Each example is a durable run of yours; it passes when all its scores do. It is compared with the last evaluation of another version, or with the one that --baseline names. Ends with 1 when fewer passed than before, of all examples or of one rule. With --local it runs the project in this folder as it is now, before a deploy.',
    examples: [
      ['In CI, after a deploy', 'svc eval questions --min 0.9'],
      ['Before a deploy', 'svc eval questions --local'],
      ['Against a version', 'svc eval questions --agent librarian --baseline 1.4.0'],
    ],
  });

  dataset = Option.String({ name: 'DATASET' });
  agent = Option.String('--agent', { description: 'whose dataset (default: the name in svc.yaml)' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project' });
  baseline = Option.String('--baseline', { description: 'version or evaluation to compare with (default: the last one of another version)' });
  tolerance = Option.String('--tolerance', '0', { description: 'how much smaller a share may be than before, 0 to 1' });
  min = Option.String('--min', { description: 'the share of examples that must pass, 0 to 1' });
  local = Option.Boolean('--local', false, { description: 'run the project in this folder on this machine, not the live version' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const limits = { tolerance: share('--tolerance', this.tolerance), min: this.min === undefined ? undefined : share('--min', this.min) };
    const name = await agentName(this.agent, this.project);
    const api = this.evaluations();
    const output = this.output(this.json);
    const now = this.local ? await this.#onThisMachine(api, name, output) : await this.#onPlatform(api, name, output);
    const before = await this.#before(api, name, now);
    const { changeOf, failuresOf, percent, rowsOf } = await import('../evaluation/compare.ts');
    const rows = rowsOf(now, before);
    const failures = failuresOf(rows, limits);
    const shown = (row: Row): string[] => [row.name, `${row.passed} of ${row.scored}`, row.share === undefined ? '-' : percent(row.share), changeOf(row)];
    output.result({ ...now, baseline: before ?? null, failures }, () => table(['WHAT', 'PASSED', 'SHARE', 'CHANGE'], rows.map(shown)));
    if (before) output.note(`Compared with ${before.evaluation_id} of version ${before.version ?? before.deploy_id}.`);
    for (const failure of failures) output.note(output.bad(failure));
    if ('state' in now && now.state !== 'succeeded') {
      output.note(output.bad(`The evaluation was ${now.state}.`));
      return EXIT.failure;
    }
    return failures.length === 0 ? EXIT.ok : EXIT.failure;
  }

  async #onPlatform(api: EvaluationApi, name: string, output: Output): Promise<EvaluationDetailOut> {
    const { evaluation_id } = await api.evaluate({ params: { name, dataset: this.dataset } });
    output.note(`${evaluation_id} started.`);
    let lastDone = 0;
    for (;;) {
      const shown = await api.evaluation({ params: { name, evaluation_id } });
      if (shown.done > lastDone) output.note(`${shown.done} of ${shown.items} done, ${shown.passed} passed`);
      lastDone = shown.done;
      if (shown.state !== 'running') {
        for (const line of failedLines(shown.results)) output.note(line);
        return shown;
      }
      await sleep(POLL_MS);
    }
  }

  async #onThisMachine(api: EvaluationApi, name: string, output: Output): Promise<Shares> {
    const { readProject } = await import('../project/read.ts');
    const { readEnvFile } = await import('../project/env-file.ts');
    const { evaluateLocally } = await import('../evaluation/local.ts');
    const { folder, manifest } = await readProject(this.project);
    const { items: rules } = await api.rules({ params: { name } });
    const items = await allExamples(api, { name, dataset: this.dataset });
    if (rules.some(({ check, enabled }) => enabled && ['judge', 'cost', 'thumb'].includes(check.kind)))
      output.note('Rules that judge, count cost or take thumbs do not score on this machine.');
    const failed: string[] = [];
    const env = { ...(await readEnvFile(folder, { path: '.env.local', named: false })), ...process.env };
    const shares = await evaluateLocally({
      folder,
      entrypoint: manifest.entrypoint,
      env,
      items,
      rules,
      note: (text) => output.raw(text),
      done: ({ item_id, skill }, scores, passed) => {
        if (!passed) failed.push(...failedLines([{ item_id, skill, state: 'done', run_id: null, passed, scores: [...scores], error: null }]));
      },
    });
    for (const line of failed.slice(0, SHOWN_FAILURES)) output.note(line);
    return shares;
  }

  /** @throws CliError where --baseline names none */
  async #before(api: EvaluationApi, name: string, now: Shares | EvaluationOut): Promise<EvaluationOut | undefined> {
    const { items } = await api.evaluations({ params: { name }, query: { dataset: this.dataset } });
    const ended = items.filter(({ state, evaluation_id }) => state === 'succeeded' && !('evaluation_id' in now && now.evaluation_id === evaluation_id));
    if (this.baseline === undefined) return ended.find(({ deploy_id }) => !('deploy_id' in now) || deploy_id !== now.deploy_id);
    const named = ended.find(({ evaluation_id, version }) => evaluation_id === this.baseline || version === this.baseline);
    if (!named) throw new CliError(`${this.dataset} of ${name} has no evaluation of ${this.baseline} that ended: see svc evaluations ${name}`);
    return named;
  }
}

function failedLines(results: readonly EvaluationResultOut[]): string[] {
  return results
    .filter(({ passed }) => passed === false)
    .slice(0, SHOWN_FAILURES)
    .map(({ item_id, skill, run_id, scores, error }) => {
      const why = error?.message ?? scores.find(({ passed }) => passed !== true);
      const reason = typeof why === 'string' ? why : `${why?.rule}: ${why?.reason}`;
      return plain(`  ${item_id} ${skill}: ${reason}${run_id === null ? '' : ` (svc trace ${run_id})`}`);
    });
}
