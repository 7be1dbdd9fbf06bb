import { randomUUID } from 'node:crypto';
import { Command, Option } from 'clipanion';
import { RunOut } from '#contract/runs/runs.ts';
import { HEADER } from '#contract/wire/headers.ts';
import { ApiCommand } from '../lib/api-command.ts';
import { CliError } from '../lib/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { persist } from '../lib/follow.ts';

export class CallCommand extends ApiCommand {
  static override paths = [['call']];
  static override usage = Command.Usage({
    description: 'call one tool of an agent and print its result as JSON',
    details:
      'Arguments are key=value pairs; a value @file is read from the file, @- from standard input. Output of the tool before its result goes to standard error. Questions of the tool are asked here, forms field by field; with --no-input the command prints how to answer and exits 5. Ctrl-C cancels the call. After a question, or with --durable, the call is a durable run: Ctrl-C leaves it running, a second Ctrl-C cancels it.',
    examples: [
      ['With pairs', 'svc call text-kit compare before="one two" after="one three"'],
      ['With JSON', 'svc call text-kit compare --json \'{"before":"one","after":"two"}\''],
      ['From a file', 'svc call text-kit outline markdown=@notes.md'],
      ['Start it and go; it prints the id of the run', 'svc call reporter weekly --detach'],
    ],
  });

  agent = Option.String({ name: 'AGENT' });
  tool = Option.String({ name: 'TOOL' });
  args = Option.Rest({ name: 'ARGS' });
  jsonArgs = Option.String('--json', { description: 'all arguments as JSON, inline, @file.json or @-' });
  events = Option.Boolean('--events', false, { description: 'print every event of a streaming tool, one JSON document per line' });
  detach = Option.Boolean('--detach', false, { description: 'start a durable run, print its id, and exit' });
  durable = Option.Boolean('--durable', false, { description: 'start a durable run and follow it' });
  key = Option.String('--idempotency-key', { description: 'the same key is the same run: sent again, the call gets its answer' });
  grant = Option.String('--grant', { description: 'what svc files share printed: the files that the agent may see; @file or @- reads it' });
  input = Option.Boolean('--input', true, { description: 'ask here what the tool asks' });

  async execute(): Promise<number> {
    const { callArguments, inputReader } = await import('../call/arguments.ts');
    const words = { agent: this.agent, tool: this.tool, pairs: this.args, json: this.jsonArgs, stdin: this.context.stdin };
    const body = await callArguments(this.client(), words);
    const grant = this.grant === undefined ? undefined : (await inputReader(this.context.stdin)(this.grant)).trim();
    return this.detach || this.durable ? await this.#start(body, grant) : await this.#call(body, grant);
  }

  async #call(body: Record<string, unknown>, grant: string | undefined): Promise<number> {
    const [abort, output] = [new AbortController(), this.output()];
    const interrupt = (): void => abort.abort(new CliError('Cancelled.', EXIT.interrupted));
    process.once('SIGINT', interrupt);
    let response: Response;
    try {
      response = await this.client().agents.invoke(
        { params: { name: this.agent, skill_name: this.tool }, headers: { 'idempotency-key': this.key }, body },
        { signal: abort.signal, headers: grantHeader(grant) },
      );
    } catch (error) {
      throw abort.signal.aborted ? abort.signal.reason : await this.#withRun(error);
    } finally {
      process.off('SIGINT', interrupt);
    }
    const { isEventStream } = await import('../lib/sse.ts');
    if (isEventStream(response)) {
      const { showLive } = await import('../call/attached.ts');
      return this.#print(await showLive(response, { ...this.#watch(), abort }), this.events);
    }
    const answer: unknown = await response.json();
    if (response.status === 202) return await this.#follow(RunOut.parse(answer).run_id);
    const [receiptId, runId] = [response.headers.get(HEADER.receiptId), response.headers.get(HEADER.runId)];
    return this.#print({ result: answer, receiptId: receiptId ?? undefined, runId: runId ?? undefined }, false, output);
  }

  /** The refusal, and where to look for why. */
  async #withRun(error: unknown): Promise<unknown> {
    const { ApiError } = await import('#contract/client.ts');
    if (!(error instanceof ApiError) || error.status < 500) return error;
    const { explain } = await import('../lib/errors.ts');
    const { message, exitCode } = explain(error);
    const { run_id: runId, request_id: requestId } = error.detail;
    const where = [
      ...(typeof runId === 'string' ? [`Run ${runId}: svc trace ${runId}, or ${this.apiUrl}/runs/${runId}`] : []),
      ...(requestId === undefined ? [] : [`Log lines, for the owner of ${this.agent}: svc logs ${this.agent} --request ${requestId}`]),
    ];
    return new CliError([message, ...where].join('\n'), exitCode, { cause: error });
  }

  async #start(body: Record<string, unknown>, grant: string | undefined): Promise<number> {
    const [client, output] = [this.client(), this.output()];
    // Sent again when the connection breaks, it is the same run.
    const headers = { 'idempotency-key': this.key ?? `cli-${randomUUID()}`, ...grantHeader(grant) };
    const run = await persist(() => client.agents.startRun({ params: { name: this.agent, skill_name: this.tool }, headers, body }));
    if (this.durable) return await this.#follow(run.run_id);
    output.hint(`Started. See it with: svc logs ${run.agent} --run ${run.run_id} --follow`);
    output.line(run.run_id);
    return EXIT.ok;
  }

  async #follow(runId: string): Promise<number> {
    const { outcomeOf, watchRun } = await import('../runs/watch.ts');
    return this.#print(outcomeOf(await watchRun({ ...this.#watch(), runId })), this.events);
  }

  #watch() {
    const output = this.output();
    const onEvent = this.events ? (event: unknown) => output.line(JSON.stringify(event)) : undefined;
    return { client: this.client(), output, context: this.context, agent: this.agent, noInput: !this.input, onEvent };
  }

  #print(
    { result, receiptId, runId }: { result: unknown; receiptId: string | undefined; runId?: string | undefined },
    shown: boolean,
    output = this.output(),
  ): number {
    if (!shown) output.line(JSON.stringify(result, null, 2));
    if (receiptId !== undefined) output.hint(output.dim(`Receipt ${receiptId} (check it: svc receipt verify ${receiptId} --agent ${this.agent})`));
    if (runId !== undefined) output.hint(output.dim(`What happened in it: svc trace ${runId}`));
    return EXIT.ok;
  }
}

function grantHeader(grant: string | undefined): { [HEADER.grant]?: string } {
  return grant === undefined ? {} : { [HEADER.grant]: grant };
}
