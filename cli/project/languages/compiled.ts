// An agent in Go or Rust: its program built by the language's own tool, its declaration as the project brings
// it.
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { parseJsonFile } from '../json.ts';
import { ProjectError, type Problem } from '../problem.ts';
import type { Entry } from '../read.ts';
import { run, tail } from './run.ts';
import type { Built } from './worker.ts';

const PROJECT_DSL = 'agent.dsl.json';

/** @throws ProjectError with the compiler's own places */
export async function buildCompiled(folder: string, entry: Entry, say: (text: string) => void): Promise<Built> {
  const dsl = await readDeclaration(folder);
  return { dsl, command: await buildProgram(folder, entry, say), args: [] };
}

/** Answers its path. @throws ProjectError with the compiler's own places */
export async function buildProgram(folder: string, entry: Entry, say: (text: string) => void): Promise<string> {
  const program = join(folder, '.svc', 'worker');
  const draft = `${program}.${process.pid}`;
  await mkdir(join(folder, '.svc'), { recursive: true });
  if (entry.language === 'go') await buildGo(folder, draft);
  else await buildRust(folder, draft, say);
  // Renamed over the one that may be running.
  await rename(draft, program);
  return program;
}

async function readDeclaration(folder: string): Promise<unknown> {
  const file = join(folder, PROJECT_DSL);
  const text = await readFile(file, 'utf8').catch(() => {
    throw new ProjectError([
      { file, message: 'not found: an agent in this language brings its declaration beside svc.yaml; "svc init x --language go" makes one' },
    ]);
  });
  return parseJsonFile(file, text);
}

async function buildGo(folder: string, out: string): Promise<void> {
  const result = await run('go', ['build', '-o', out, '.'], { cwd: folder, env: { ...process.env, CGO_ENABLED: '0' } });
  if (result.code !== 0) throw failed(folder, result, 'go', 'https://go.dev/dl');
}

async function buildRust(folder: string, out: string, say: (text: string) => void): Promise<void> {
  const result = await run('cargo', ['build', '--quiet', '--message-format', 'json-diagnostic-short'], { cwd: folder });
  const messages = cargoMessages(result.stdout);
  if (result.code !== 0) {
    throw failed(
      folder,
      { ...result, stderr: [...messages.flatMap(({ message }) => message?.rendered ?? []), result.stderr].join('\n') },
      'cargo',
      'https://rustup.rs',
    );
  }
  const built = messages.flatMap(({ executable }) => executable ?? [])[0];
  if (built === undefined)
    throw new ProjectError([{ file: join(folder, 'Cargo.toml'), message: 'makes no program: an agent is a binary crate (src/main.rs)' }]);
  for (const { message } of messages) if (message?.rendered) say(message.rendered);
  await copyFile(built, out);
}

const CargoMessage = z.object({ executable: z.string().nullish(), message: z.object({ rendered: z.string().nullish() }).optional() });

function cargoMessages(text: string): z.infer<typeof CargoMessage>[] {
  return text.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return [];
    const read = CargoMessage.safeParse(JSON.parse(line));
    return read.success ? [read.data] : [];
  });
}

/** Compilers name places as `./main.go:5:2: …` and `src/main.rs:5:2: error[E0425]: …`. */
function failed(folder: string, said: { code: number | null; stderr: string }, tool: string, where: string): ProjectError {
  if (said.code === null && /ENOENT/.test(said.stderr)) {
    return new ProjectError([{ message: `the program "${tool}" is not on the PATH: install it (${where}), then run the command again` }]);
  }
  const places = [...said.stderr.matchAll(/^\s*((?:\.\/)?[\w./-]+\.(?:go|rs)):(\d+):\d+: (.+)$/gm)]
    .filter(([, , , message = '']) => !message.startsWith('warning'))
    .map(([, path = '', line, message = '']): Problem => ({ file: resolve(folder, path), line: Number(line), message }));
  if (places.length > 0) return new ProjectError(places.slice(0, 20));
  const manifest = join(folder, tool === 'go' ? 'go.mod' : 'Cargo.toml');
  return new ProjectError([{ file: existsSync(manifest) ? manifest : undefined, message: tail(said.stderr) || `${tool} build failed` }]);
}
