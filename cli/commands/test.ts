import { Command, Option } from 'clipanion';
import { MODEL_RECORDINGS } from '../lib/api-command.ts';
import type { CliContext } from '../lib/context.ts';
import { UsageError } from '../lib/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { Output, plain } from '../lib/output.ts';
import type { Finding } from '../project/preflight.ts';

const ENV_FILE = '.env.local';

export class TestCommand extends Command<CliContext> {
  static override paths = [['test']];
  static override usage = Command.Usage({
    description: 'check the project before a deploy',
    details:
      "With --invoke the agent is started on this machine and each skill called once, with arguments made from its schema. After -- comes a command with the project's own tests. With --record language models are asked and what they answer is kept in files; with --replay the files answer, without network or key. Both work for ctx.llm and for OpenAI's and Anthropic's clients. Exits 1 when a check failed.",
    examples: [
      ['Check, then run each skill', 'svc test --invoke'],
      ["Record what models answer to the project's own tests", 'svc test --record -- npm test'],
      ['The same later, without the models', 'svc test --replay -- npm test'],
      ['One skill, with arguments', `svc test --invoke --skill greet --args-json '{"name":"Ada"}'`],
    ],
  });

  project = Option.String('--project,-p', '.', { description: 'folder of the project' });
  envFile = Option.String('--env-file', { description: `secrets and settings, NAME=value a line (default: ${ENV_FILE} if it is there)` });
  workspace = Option.String('--workspace', { description: "folder to use as the caller's workspace" });
  invoke = Option.Boolean('--invoke', { description: 'start the agent and call its skills; --no-invoke only looks' });
  skill = Option.String('--skill', { description: 'call only this one' });
  argsJson = Option.String('--args-json', { description: 'its arguments, as JSON' });
  record = Option.Boolean('--record', false, { description: 'ask language models and keep their answers' });
  replay = Option.Boolean('--replay', false, { description: 'answer for language models, from what was recorded' });
  recordings = Option.String('--recordings', MODEL_RECORDINGS, { description: 'folder of the project for recorded answers' });
  verbose = Option.Boolean('--verbose', false, { description: 'print traces whole, with the frames of the SDK and of Node' });
  command = Option.Rest({ name: 'COMMAND' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    if (this.argsJson !== undefined && this.skill === undefined) throw new UsageError('--args-json needs --skill: the skill they are for.');
    if (this.record && this.replay) throw new UsageError('Choose one of --record and --replay.');
    const mode = this.record ? 'record' : this.replay ? 'replay' : undefined;
    const { preflight } = await import('../project/preflight.ts');
    const output = new Output(this.context, this.json);
    const checks: Finding[] = [];
    const findings = preflight({
      folder: this.project,
      envFile: { path: this.envFile ?? ENV_FILE, named: this.envFile !== undefined },
      workspace: this.workspace,
      invoke: this.invoke ?? (this.skill !== undefined || (mode !== undefined && this.command.length === 0)),
      skill: this.skill,
      args: this.argsJson === undefined ? undefined : parseArgs(this.argsJson),
      models: mode && { mode, folder: this.recordings },
      command: this.command,
      verbose: this.verbose,
      say: (text) => void this.context.stderr.write(text),
      progress: output.progress(),
    });
    for await (const finding of findings) {
      checks.push(finding);
      if (!this.json) output.line(lineOf(finding, output));
    }
    const ok = checks.every(({ state }) => state !== 'failed');
    output.result({ ok, checks: checks }, []);
    return ok ? EXIT.ok : EXIT.failure;
  }
}

function lineOf({ check, state, says }: Finding, output: Output): string {
  const line = `${state.padEnd(8)} ${check.padEnd(14)} ${output.advice(plain(says))}`;
  return state === 'failed' ? output.bad(line) : state === 'ok' ? line : output.dim(line);
}

function parseArgs(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Said below.
  }
  throw new UsageError(`--args-json must be a JSON object with the arguments by name, e.g. '{"name":"Ada"}'.`);
}
