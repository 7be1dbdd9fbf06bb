import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'clipanion';
import type { Api } from '../lib/api.ts';
import { ApiCommand, integer } from '../lib/api-command.ts';
import { CliError } from '../lib/errors.ts';
import type { Output } from '../lib/output.ts';
import { readableLines } from '../lib/log-line.ts';

const POLL_MS = 1_000;
const ENDED = ['live', 'failed', 'cancelled', 'superseded'];

export class LogsCommand extends ApiCommand {
  static override paths = [['logs']];
  static override usage = Command.Usage({
    description: 'print build and runtime logs of a deploy, or what a run did',
    details:
      'With --run: the events of one run so far; with --follow until it ends, with its result on standard output. Questions of the run are asked here, unless --no-input is given.',
    examples: [
      ["Of this project's newest deploy", 'svc logs'],
      ['Until it is live or has failed', 'svc logs my-agent -f'],
      ['Of one request, as an error names it', 'svc logs my-agent --request req_0193…'],
      ['Follow a run', 'svc logs my-agent --run run_0193… -f'],
    ],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  deploy = Option.String('--deploy', { description: 'which deploy (default: the most recent)' });
  follow = Option.Boolean('--follow,-f', false, { description: 'follow until the deploy or the run has ended' });
  run = Option.String('--run', { description: 'show this run (run_… or its job_…) instead of a deploy' });
  request = Option.String('--request', { description: "only the agent's log lines of this request (req_…)" });
  input = Option.Boolean('--input', true, { description: 'with --run --follow: ask here what the run asks' });
  tail = Option.String('--tail,-n', '200', { description: 'how many of the last lines' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' });
  verbose = Option.Boolean('--verbose', false, { description: 'print traces whole, with the frames of the SDK and of Node' });
  json = Option.Boolean('--json', false, { description: 'print one JSON document per line' });

  async execute(): Promise<number> {
    const tail = integer('--tail', this.tail, { min: 1, max: 2000 });
    const client = this.client();
    if (this.run !== undefined) return await this.#ofRun(client, this.run);
    const { readProject } = await import('../project/read.ts');
    const name = this.agent ?? (await readProject(this.project)).manifest.name;
    const output = this.output();
    if (this.request !== undefined) {
      const { printLog } = await import('../runs/plain.ts');
      return (await printLog(client, { name, request_id: this.request }, output, this.json)) > 0 ? 0 : 1;
    }
    const params = { name, deploy_id: this.deploy ?? (await newest(client, name)) };
    let cursor: string | undefined;
    for (;;) {
      const page = await client.agents.deploymentLogs({ params, query: cursor === undefined ? { tail } : { tail: 2000, cursor } });
      for (const line of page.lines) this.#print(line, output);
      // A full page may not be all there is.
      const more = page.lines.length > 0 && page.cursor !== cursor;
      cursor = page.cursor;
      if (!this.follow) return 0;
      if (ENDED.includes(page.state) && !more) return page.state === 'failed' || page.state === 'cancelled' ? this.#ended(page.state, output) : 0;
      await sleep(more ? 0 : POLL_MS);
    }
  }

  async #ofRun(client: Api, id: string): Promise<number> {
    const output = this.output();
    const { findRun } = await import('../runs/model.ts');
    const name = await findRun(client, id, this.agent);
    if (!this.follow) {
      const { printEvents } = await import('../runs/events.ts');
      return await printEvents(client, name, output, this.json);
    }
    const { outcomeOf, watchRun } = await import('../runs/watch.ts');
    const onEvent = this.json ? (event: unknown) => output.line(JSON.stringify(event)) : undefined;
    const { result } = outcomeOf(await watchRun({ ...name, client, output, context: this.context, noInput: !this.input, onEvent }));
    if (!this.json) output.line(JSON.stringify(result, null, 2));
    return 0;
  }

  #print(line: { at: string; source: string; stream: string; text: string }, output: Output): void {
    if (this.json) return output.line(JSON.stringify(line));
    const head = `${output.dim(line.at.slice(11, 23))} ${line.source.padEnd(8)}`;
    for (const part of readableLines(line.text, this.verbose)) output.line(line.stream === 'stderr' ? output.bad(`${head} ${part}`) : `${head} ${part}`);
  }

  #ended(state: string, output: Output): number {
    output.note(`The deploy ${state === 'failed' ? 'failed' : 'was cancelled'}.`);
    return 1;
  }
}

async function newest(client: Api, name: string): Promise<string> {
  const [deployment] = await client.agents.deployments({ params: { name }, query: { limit: 1 } });
  if (!deployment) throw new CliError(`${name} has not been deployed yet. Deploy it with: svc deploy`);
  return deployment.deploy_id;
}
