// The files that every project has which the platform writes: svc.yaml, package.json, tsconfig.json, and what
// is copied as it is.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProjectFile } from './pack.ts';

export interface ProjectHead {
  name: string;
  version: string;
  /** The class in agent.ts. */
  className: string;
  /** More of svc.yaml, as YAML; ends with a line break. */
  more?: string;
}

/** svc.yaml, package.json and tsconfig.json. */
export function headFiles({ name, version, className, more = '' }: ProjectHead): ProjectFile[] {
  // In quotes: `null` and `12` are names of agents, too.
  const manifest = `name: ${JSON.stringify(name)}\nversion: ${version}\nentrypoint: agent:${className}\n${more}`;
  const packageJson = { name, version, private: true, type: 'module', engines: { node: '>=24' }, scripts: { test: 'node --test' } };
  return [
    { path: 'svc.yaml', content: manifest },
    { path: 'package.json', content: `${JSON.stringify(packageJson, null, 2)}\n` },
    { path: 'tsconfig.json', content: TSCONFIG },
  ];
}

/** @param paths below the folder; each keeps its name */
export async function copiedFiles(folder: string, paths: readonly string[]): Promise<ProjectFile[]> {
  return await Promise.all(paths.map(async (path) => ({ path, content: await readFile(join(folder, path), 'utf8') })));
}

/** What is done with a project, for its README. */
export const COMMANDS = `\`\`\`sh
svc test      # checks it
npm test      # its own tests, on Node 24
svc deploy
\`\`\`
`;

const TSCONFIG = `${JSON.stringify(
  {
    compilerOptions: {
      target: 'es2024',
      lib: ['es2024'],
      module: 'nodenext',
      types: ['node'],
      strict: true,
      noUncheckedIndexedAccess: true,
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      noEmit: true,
    },
    include: ['**/*.ts'],
  },
  null,
  2,
)}\n`;
