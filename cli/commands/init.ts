import { relative } from 'node:path';
import { Command, Option } from 'clipanion';
import { AgentName } from '../../contract/wire/names.ts';
import type { CliContext } from '../context.ts';
import { CliError, UsageError } from '../errors.ts';
import { asInvoked } from '../invoked.ts';

const LANGUAGES = ['python', 'typescript', 'javascript', 'go', 'rust'];
const FRONTENDS = ['static', 'react', 'nextjs'];

export class InitCommand extends Command<CliContext> {
  static override paths = [['init']];
  static override usage = Command.Usage({
    description: 'make a new project',
    examples: [['A TypeScript agent in ./greeter', 'svc init greeter --language typescript']],
  });

  name = Option.String({ required: true, name: 'NAME' });
  description = Option.String('--description,-d', 'A new agent', { description: 'one sentence for the card' });
  target = Option.String('--target,-t', '.', { description: 'folder in which the project folder is made' });
  language = Option.String('--language,-l', 'python', { description: LANGUAGES.join(', ') });
  frontend = Option.String('--frontend', { description: FRONTENDS.join(', ') });
  frontendMode = Option.String('--frontend-mode', 'static', { description: 'static or server-rendered' });
  auth = Option.String('--auth', 'inherit', { description: 'of the frontend: inherit, platform or public' });

  async execute(): Promise<number> {
    this.#check();
    if (this.language !== 'typescript') throw this.#notYet(`--language ${this.language}`);
    if (this.frontend !== undefined) throw this.#notYet(`--frontend ${this.frontend}`);
    const { scaffold } = await import('../project/scaffold.ts');
    const { folder, className } = await scaffold({ name: this.name, description: this.description, target: this.target });
    const path = relative(process.cwd(), folder);
    const steps = [`cd ${path}`, 'svc validate', `svc run --entrypoint agent:${className}`, 'svc deploy'];
    this.context.stdout.write(asInvoked(`Made ${path}. Next:\n${steps.map((step) => `  ${step}\n`).join('')}`, this.context.env));
    return 0;
  }

  #check(): void {
    const name = AgentName.safeParse(this.name);
    if (!name.success) throw new UsageError(`NAME: ${name.error.issues[0]?.message}`);
    oneOf('--language', this.language, LANGUAGES);
    if (this.frontend !== undefined) oneOf('--frontend', this.frontend, FRONTENDS);
    oneOf('--frontend-mode', this.frontendMode, ['static', 'server-rendered']);
    oneOf('--auth', this.auth, ['inherit', 'platform', 'public']);
  }

  #notYet(what: string): CliError {
    return new CliError(`${what} comes with the next release; nothing was written. Today: svc init ${this.name} --language typescript`);
  }
}

function oneOf(option: string, value: string, allowed: readonly string[]): void {
  if (!allowed.includes(value)) throw new UsageError(`${option}: "${value}" is not one of ${allowed.join(', ')}`);
}
