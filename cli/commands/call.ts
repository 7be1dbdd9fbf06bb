import { Command, Option } from 'clipanion';
import { ApiCommand } from '../command.ts';
import { UsageError } from '../errors.ts';

export class CallCommand extends ApiCommand {
  static override paths = [['call']];
  static override usage = Command.Usage({
    description: 'call one tool of an agent and print its result as JSON',
    details:
      'Arguments are key=value pairs; a value @file is read from the file, @- from standard input. What a streaming tool says meanwhile goes to standard error.',
    examples: [
      ['With pairs', 'svc call text-kit compare before="one two" after="one three"'],
      ['With JSON', 'svc call text-kit compare --json \'{"before":"one","after":"two"}\''],
      ['From a file', 'svc call text-kit outline markdown=@notes.md'],
    ],
  });

  agent = Option.String({ name: 'AGENT' });
  tool = Option.String({ name: 'TOOL' });
  args = Option.Rest({ name: 'ARGS' });
  jsonArgs = Option.String('--json', { description: 'all arguments as JSON, inline, @file.json or @-' });
  events = Option.Boolean('--events', false, { description: 'print every event of a streaming tool, one JSON document per line' });

  async execute(): Promise<number> {
    if (this.jsonArgs !== undefined && this.args.length > 0) throw new UsageError('Give the arguments as key=value pairs or with --json, not both.');
    const client = this.client();
    const { inputReader, jsonArguments, pairArguments } = await import('../call/arguments.ts');
    const read = inputReader(this.context.stdin);
    const schema = async () => (await client.agents.get({ params: { name: this.agent } })).card?.skills.find((skill) => skill.id === this.tool)?.input_schema;
    const body = this.jsonArgs === undefined ? await pairArguments(this.args, read, schema) : await jsonArguments(this.jsonArgs, read);
    const output = this.output();
    const response = await client.agents.invoke({ params: { name: this.agent, skill_name: this.tool }, body });
    const { isEventStream } = await import('../sse.ts');
    const { showLive } = await import('../call/live.ts');
    const { result, receiptId } = isEventStream(response)
      ? await showLive(response, output, (event) => this.events && output.line(JSON.stringify(event)))
      : { result: await response.json(), receiptId: response.headers.get('x-svc-receipt-id') ?? undefined };
    if (!this.events || !isEventStream(response)) output.line(JSON.stringify(result, null, 2));
    if (receiptId !== undefined) output.hint(output.dim(`Receipt ${receiptId} (check it: svc receipt verify ${receiptId} --agent ${this.agent})`));
    return 0;
  }
}
