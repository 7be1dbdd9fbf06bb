import { relative } from 'node:path';
import { Command, Option, UsageError } from 'clipanion';
import { AgentName } from '../../contract/wire/names.ts';
import { ProjectError } from '../project/problem.ts';
import { scaffold } from '../project/scaffold.ts';

const LANGUAGES = ['python', 'typescript', 'javascript', 'go', 'rust'];
const FRONTENDS = ['static', 'react', 'nextjs'];

export class InitCommand extends Command {
  static override paths = [['init']];
  static override usage = Command.Usage({
    category: 'Author',
    description: 'Make a new project.',
    examples: [['A TypeScript agent in ./greeter', 'svc init greeter --language typescript']],
  });

  name = Option.String({ required: true, name: 'NAME' });
  description = Option.String('--description,-d', 'A new agent', { description: 'One sentence for the card.' });
  target = Option.String('--target,-t', '.', { description: 'Folder in which the project folder is made.' });
  language = Option.String('--language,-l', 'python', { description: LANGUAGES.join(', ') });
  frontend = Option.String('--frontend', { description: FRONTENDS.join(', ') });
  frontendMode = Option.String('--frontend-mode', 'static', { description: 'static or server-rendered' });
  auth = Option.String('--auth', 'inherit', { description: 'Of the frontend: inherit, platform or public.' });

  override async execute(): Promise<number> {
    this.#check();
    if (this.language !== 'typescript') return this.#notYet(`--language ${this.language}`, `svc init ${this.name} --language typescript`);
    if (this.frontend) return this.#notYet(`--frontend ${this.frontend}`, `svc init ${this.name} --language typescript`);
    try {
      const { folder, className } = await scaffold({ name: this.name, description: this.description, target: this.target });
      const path = relative(process.cwd(), folder) || '.';
      this.context.stdout.write(
        [`made ${path}`, '', 'next:', ...(path === '.' ? [] : [`  cd ${path}`]), '  svc validate', `  svc run --entrypoint agent:${className}`, '  svc deploy', ''].join('\n'),
      );
      return 0;
    } catch (error) {
      if (!(error instanceof ProjectError)) throw error;
      this.context.stderr.write(`${error.message}\n`);
      return 1;
    }
  }

  #check(): void {
    const name = AgentName.safeParse(this.name);
    if (!name.success) throw new UsageError(`NAME: ${name.error.issues[0]?.message}`);
    oneOf('--language', this.language, LANGUAGES);
    if (this.frontend !== undefined) oneOf('--frontend', this.frontend, FRONTENDS);
    oneOf('--frontend-mode', this.frontendMode, ['static', 'server-rendered']);
    oneOf('--auth', this.auth, ['inherit', 'platform', 'public']);
  }

  #notYet(what: string, instead: string): number {
    this.context.stderr.write(`${what} comes with the next release; nothing was written. Today: ${instead}\n`);
    return 1;
  }
}

function oneOf(option: string, value: string, allowed: readonly string[]): void {
  if (!allowed.includes(value)) throw new UsageError(`${option}: "${value}" is not one of ${allowed.join(', ')}`);
}
