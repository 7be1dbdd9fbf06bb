import { withoutMark } from '#contract/wire/byte-order-mark.ts';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'clipanion';
import type { Api } from '../../lib/api.ts';
import { ApiCommand, integer } from '../../lib/api-command.ts';
import { CliError, UsageError } from '../../lib/errors.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { type Output, plain, table } from '../../lib/output.ts';
import { agentName } from '../../project/name.ts';
import { linesOf, type Rehearsal, resultOf } from './lines.ts';

type CustomRun = Parameters<Api['protocolSimulations']['customRun']>[0]['body'];

const POLL_MS = 500;
const MAX_SUITE_BYTES = 1024 * 1024;

export class RehearseCommand extends ApiCommand {
  static override paths = [['rehearse']];
  static override usage = Command.Usage({
    description: 'rehearse your agent against scenarios in a disposable machine',
    details:
      'The live version starts in a machine of a disposable account, without its secrets and without network. Nothing live takes part: no grant, no run, no receipt of the agent. Exits 1 when a scenario fails or has no verdict. The same seed over the same version gives the same digest.',
    examples: [
      ['Against all scenarios', 'svc rehearse greeter'],
      ['Two of them, step by step', 'svc rehearse greeter --scenario child_scope --scenario redaction --follow'],
      ['Against a protocol of its registry', 'svc rehearse greeter --protocol release-gate@1.0.0'],
      ['Against a suite in a file', 'svc rehearse greeter --suite suite.json'],
      ['The rehearsals before, newest first', 'svc rehearse greeter --list'],
    ],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' });
  scenario = Option.Array('--scenario', [], { description: 'only this scenario, repeatable' });
  seed = Option.String('--seed', '1', { description: 'decides which skills are called with which arguments' });
  protocol = Option.String('--protocol', { description: 'a protocol of the registry: NAME@VERSION' });
  suite = Option.String('--suite', { description: 'a file with a suite of your own (JSON)' });
  ttl = Option.String('--ttl', '600', { description: 'seconds after which it ends' });
  follow = Option.Boolean('--follow,-f', false, { description: 'print each scenario as it ends, step by step' });
  detach = Option.Boolean('--detach', false, { description: 'start it and return' });
  list = Option.Boolean('--list', false, { description: 'list rehearsals instead' });
  id = Option.String('--id', { description: 'show this rehearsal instead (job_…)' });
  stop = Option.String('--stop', { description: 'stop this rehearsal (job_…)' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const name = await agentName(this.agent, this.project);
    const api = this.client().protocolSimulations;
    const output = this.output(this.json);
    if (this.list) return this.#list(name, api, output);
    if (this.stop !== undefined) {
      const stopped = await api.stop({ params: { name, job_id: this.stop }, body: {} });
      output.result(stopped, [`${stopped.job_id} is stopping; its machine goes.`]);
      return EXIT.ok;
    }
    const job_id = this.id ?? (await this.#start(name, api)).job_id;
    if (this.detach) {
      output.result({ job_id }, [output.advice(`${job_id} started. See it with: svc rehearse ${name} --id ${job_id}`)]);
      return EXIT.ok;
    }
    if (this.id === undefined) output.note(`${job_id} started.`);
    const shown = await this.#ended(name, job_id, api, output);
    output.result(shown, () => resultOf(shown, output, { steps: this.follow }));
    return shown.verdict === 'passed' ? EXIT.ok : EXIT.failure;
  }

  async #start(name: string, api: Api['protocolSimulations']): Promise<{ job_id: string }> {
    const scenarios = this.scenario.length === 0 ? {} : { scenarios: this.scenario };
    const request = {
      ...scenarios,
      seed: integer('--seed', this.seed, { min: 0, max: 999_999_999 }),
      ttl_seconds: integer('--ttl', this.ttl, { min: 60, max: 3600 }),
    };
    if (this.protocol !== undefined && this.suite !== undefined) throw new UsageError('Choose one of --protocol and --suite.');
    if (this.protocol !== undefined) {
      const [id, version, ...more] = this.protocol.split('@');
      if (!id || !version || more.length > 0) throw new UsageError('--protocol is NAME@VERSION, e.g. release-gate@1.0.0.');
      return api.customRun({ params: { name }, body: { ...request, protocol_ref: { id, version } } });
    }
    if (this.suite !== undefined) return api.customRun({ params: { name }, body: { ...request, suite: await readSuite(this.suite) } });
    return api.start({ params: { name }, body: request });
  }

  async #ended(name: string, job_id: string, api: Api['protocolSimulations'], output: Output): Promise<Rehearsal> {
    const reportedPositions = new Set<number>();
    for (;;) {
      const shown = await api.get({ params: { name, job_id } });
      for (const run of shown.scenarios) {
        if (run.state === 'queued' || run.state === 'running' || reportedPositions.has(run.position)) continue;
        reportedPositions.add(run.position);
        if (this.follow) for (const line of linesOf(run, output, { steps: true })) output.note(line);
      }
      if (shown.ended_at !== null) return shown;
      await sleep(POLL_MS);
    }
  }

  async #list(name: string, api: Api['protocolSimulations'], output: Output): Promise<number> {
    const { items } = await api.list({ params: { name }, query: { limit: 50 } });
    if (items.length === 0) output.hint(`${name} has not been rehearsed. Start with: svc rehearse ${name}`);
    const row = (one: (typeof items)[number]): string[] => [
      one.job_id,
      plain(one.protocol_ref.display_name),
      one.version ?? '-',
      one.verdict ?? one.state,
      `${one.counts.passed} of ${Object.values(one.counts).reduce((sum, n) => sum + n, 0)}`,
      one.digest?.slice(0, 12) ?? '-',
      one.created_at.slice(0, 16).replace('T', ' '),
    ];
    output.result(items, () =>
      items.length === 0 ? [] : table(['REHEARSAL', 'PROTOCOL', 'VERSION', 'VERDICT', 'PASSED', 'DIGEST', 'STARTED (UTC)'], items.map(row)),
    );
    return EXIT.ok;
  }
}

/** The API checks what it says. */
async function readSuite(path: string): Promise<NonNullable<CustomRun['suite']>> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new CliError(`${path} cannot be read: name a file with a suite, e.g. one of svc rehearse scenarios --json.`);
  });
  if (text.length > MAX_SUITE_BYTES) throw new CliError(`${path} is larger than a suite may be.`);
  try {
    // Safe: whatever it is, the platform checks it by its schema and answers with each mistake's place.
    return JSON.parse(withoutMark(text)) as NonNullable<CustomRun['suite']>;
  } catch {
    throw new CliError(`${path} is not JSON.`);
  }
}
