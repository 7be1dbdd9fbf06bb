import { parseExact } from '#contract/wire/exact-json.ts';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { Command, Option } from 'clipanion';
import type { DatasetItemIn, DatasetItemOut } from '#contract/quality/evaluations.ts';
import { ApiCommand } from '../../lib/api-command.ts';
import { CliError, UsageError } from '../../lib/errors.ts';

/** Of one request. */
const BATCH = 100;

export class DatasetsAddCommand extends ApiCommand {
  static override paths = [['datasets', 'add']];
  static override usage = Command.Usage({
    description: 'add examples to a dataset of your agent: from a file, or from runs',
    details:
      'A line of the file is {"skill": …, "args": {…}, "expected": …} as JSON; without "expected" only the rules decide. FILE - is standard input. A run is durable (svc call --detach) and your own, or of a caller who has consented (svc consent).',
    examples: [
      ['From a file', 'svc datasets add librarian questions --file questions.jsonl'],
      ['A run whose result is right', 'svc datasets add librarian questions --run run_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11 --expect-result'],
    ],
  });

  agent = Option.String({ name: 'AGENT' });
  dataset = Option.String({ name: 'DATASET' });
  file = Option.String('--file', { description: 'JSON, an example a line' });
  runs = Option.Array('--run', [], { description: 'a run, repeatable' });
  expectResult = Option.Boolean('--expect-result', false, { description: 'the result of each run is what is right' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    if ((this.file === undefined) === (this.runs.length === 0)) throw new UsageError('Give either --file or --run.');
    const items = this.file === undefined ? this.runs.map((run_id) => ({ run_id, expect_result: this.expectResult })) : await this.#read(this.file);
    const added: DatasetItemOut[] = [];
    for (let at = 0; at < items.length; at += BATCH) {
      const body = { items: items.slice(at, at + BATCH) };
      added.push(...(await this.evaluations().addItems({ params: { name: this.agent, dataset: this.dataset }, body })).items);
    }
    const output = this.output(this.json);
    output.result(added, [`${added.length} added.`]);
    output.hint(`Evaluate the live version with: svc eval ${this.dataset} --agent ${this.agent}`);
    return 0;
  }

  async #read(file: string): Promise<DatasetItemIn[]> {
    const lines = (file === '-' ? await text(this.context.stdin) : await readFile(file, 'utf8')).split('\n');
    const items = lines.flatMap((line, n) => (line.trim() === '' ? [] : [exampleOf(line, `${file}:${n + 1}`)]));
    if (items.length === 0) throw new CliError(`${file} has no examples.`);
    return items;
  }
}

/** The platform checks the rest, and names the place. */
function exampleOf(line: string, at: string): DatasetItemIn {
  let value: unknown;
  try {
    value = parseExact(line);
  } catch (error) {
    throw new CliError(`${at} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof value !== 'object' || value === null || !('skill' in value) || typeof value.skill !== 'string')
    throw new CliError(`${at} has no "skill": write {"skill": …, "args": {…}, "expected": …}`);
  const args = 'args' in value ? value.args : {};
  if (typeof args !== 'object' || args === null || Array.isArray(args)) throw new CliError(`${at}: "args" must be an object`);
  return { skill: value.skill, args: { ...args }, ...('expected' in value && { expected: value.expected }) };
}
