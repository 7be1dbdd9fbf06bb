import { relative } from 'node:path';
import { Command, Option } from 'clipanion';
import { FRONTEND_AUTHS, FRONTEND_MODES } from '#contract/states.ts';
import { AgentName } from '#contract/wire/names.ts';
import { reservedName } from '#contract/wire/reserved-names.ts';
import { oneOf } from '../lib/api-command.ts';
import type { CliContext } from '../lib/context.ts';
import { UsageError } from '../lib/errors.ts';
import { Output } from '../lib/output.ts';
import { adopt } from '../project/adopt.ts';
import { FRONTENDS, LANGUAGES, scaffold } from '../project/scaffold.ts';

export class InitCommand extends Command<CliContext> {
  static override paths = [['init']];
  static override usage = Command.Usage({
    description: 'make a new project',
    examples: [
      ['A Python agent in ./greeter', 'svc init greeter'],
      ['A TypeScript agent with a frontend', 'svc init greeter --language typescript --frontend react'],
      ['An agent that you have already, of LangGraph, the AI SDK, OpenAI Agents …', 'svc init support --from ./my-project'],
      ['Pages that you have already', 'svc init site --from ./public'],
      ['A page that is written where the agent runs', 'svc init greeter --frontend nextjs --frontend-mode server-rendered'],
    ],
  });

  name = Option.String({ required: true, name: 'NAME' });
  description = Option.String('--description,-d', 'A new agent', { description: 'one sentence for the card' });
  target = Option.String('--target,-t', '.', { description: 'folder in which the project folder is made' });
  language = Option.String('--language,-l', 'python', { description: LANGUAGES.join(', ') });
  frontend = Option.String('--frontend', { description: FRONTENDS.join(', ') });
  frontendMode = Option.String('--frontend-mode', 'static', { description: 'static, or server-rendered (only react and nextjs)' });
  auth = Option.String('--auth', 'inherit', { description: 'who may open the frontend: inherit, platform or public' });
  from = Option.String('--from', {
    description: 'folder of a project with an agent of another framework: adds what makes it an agent here; of plain pages: makes an agent with a copy of them',
  });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const name = AgentName.safeParse(this.name);
    if (!name.success) throw new UsageError(`NAME: ${name.error.issues[0]?.message}`);
    const reserved = reservedName(this.name);
    if (reserved !== undefined) throw new UsageError(`NAME: ${reserved}.`);
    if (this.from !== undefined) return this.#adopt(this.from);
    const language = oneOf('--language', this.language, LANGUAGES);
    const kind = this.frontend === undefined ? undefined : oneOf('--frontend', this.frontend, FRONTENDS);
    const auth = oneOf('--auth', this.auth, FRONTEND_AUTHS);
    const mode = oneOf('--frontend-mode', this.frontendMode, FRONTEND_MODES);
    const frontendOption = mode === 'static' ? auth !== 'inherit' && '--auth' : '--frontend-mode';
    if (kind === undefined && frontendOption)
      throw new UsageError(`${frontendOption} is about the frontend, and there is none: add --frontend ${mode === 'static' ? 'static, ' : ''}react or nextjs.`);
    if (kind === 'static' && mode === 'server-rendered')
      throw new UsageError('--frontend static is plain files, which no server renders: use --frontend react or nextjs with --frontend-mode server-rendered.');
    const { folder, entrypoint } = await scaffold({
      name: this.name,
      description: this.description,
      target: this.target,
      language,
      frontend: kind && { kind, auth, mode },
    });
    const path = relative(process.cwd(), folder);
    const output = new Output(this.context, this.json);
    const steps = [`cd ${path}`, 'svc validate', 'svc test --invoke', `svc run --entrypoint ${entrypoint}`, 'svc deploy'].map((step) => output.advice(step));
    output.result({ name: this.name, folder, language, entrypoint, next: steps }, [`Made ${path}. Next:`, ...steps.map((step) => `  ${step}`)]);
    return 0;
  }

  async #adopt(from: string): Promise<number> {
    if (this.frontend !== undefined) throw new UsageError('--from takes a project as it is: add a frontend to svc.yaml later, without --frontend here.');
    const made = await adopt({ name: this.name, description: this.description, folder: from, target: this.target });
    const output = new Output(this.context, this.json);
    const steps = [`cd ${relative(process.cwd(), made.folder) || '.'}`, 'svc validate', 'svc test', 'svc deploy'].map((step) => output.advice(step));
    output.result({ name: this.name, ...made, next: steps }, [
      `${made.framework}: ${made.found.name} of ${made.found.file}. Wrote ${made.written.join(' and ')}. Next:`,
      ...steps.map((step) => `  ${step}`),
    ]);
    return 0;
  }
}
