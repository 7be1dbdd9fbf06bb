import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Command, Option } from 'clipanion';
import { DSL_FILE } from '#contract/wire/dsl.ts';
import type { CliContext } from '../lib/context.ts';
import { Output } from '../lib/output.ts';

export class CompileCommand extends Command<CliContext> {
  static override paths = [['compile']];
  static override usage = Command.Usage({
    description: "compile the project's declaration for the sidecar",
    details: 'For agents whose handlers run in a worker: Python, Go and Rust. One in TypeScript is served by the runtime itself.',
    examples: [['Then serve it from two processes', `svc compile && svc sidecar --worker-url http://127.0.0.1:9001`]],
  });

  project = Option.String('--project,-p', '.', { description: 'folder of the project' });
  out = Option.String('--out,-o', { description: `file to write (default: ${DSL_FILE} in the project)` });
  stdout = Option.Boolean('--stdout', false, { description: 'print it instead' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { compileProject } = await import('../project/compile.ts');
    const { project, dsl } = await compileProject(this.project, (text) => void this.context.stderr.write(text));
    const text = `${JSON.stringify(dsl, null, 2)}\n`;
    if (this.stdout) {
      this.context.stdout.write(text);
      return 0;
    }
    const file = this.out ?? join(project.folder, DSL_FILE);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    const output = new Output(this.context, this.json);
    output.note(`Wrote the declaration of ${dsl.card.name} ${dsl.card.version} to ${file}`);
    output.result({ file, name: dsl.card.name, version: dsl.card.version }, []);
    return 0;
  }
}
