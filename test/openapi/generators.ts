// Generators of other people: how each makes a client of a document, and how the client is built with a
// program of ours that calls ten operations.
import { execFile } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { goProgram } from '../outside/cache.ts';
import { pythonWith } from '../support/languages/python.ts';

export interface Generator {
  name: string;
  /**
   * In a folder of its own, where openapi.json is. Resolves with how the program that calls is started there.
   * @throws where the document cannot be read, or what was made of it cannot be built
   */
  build(folder: string): Promise<{ program: string; args: string[] }>;
}

/** What the generator says of itself that it leaves out, a pattern of its log: listed in the test. */
const OGEN_SKIPS = /Skipping operation.*?"reason_error": "([^"\\]+)/g;

const PROGRAMS = join(import.meta.dirname, 'generated');
const TSC = join(import.meta.dirname, '../../node_modules/.bin/tsc');
const STRICT = ['--ignoreConfig', '--strict', '--target', 'esnext', '--module', 'nodenext', '--skipLibCheck', '--types', 'node'];
const TYPES = ['--typeRoots', join(import.meta.dirname, '../../node_modules/@types')];
const GO = { ...process.env, GOFLAGS: '-mod=mod' };

/** With what it prints, which for some is megabytes. */
async function run(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(program, args, { cwd, env, maxBuffer: 2 ** 28 });
  return stdout + stderr;
}

const inNode = (file: string) => ({ program: process.execPath, args: ['--disable-warning=ExperimentalWarning', file] });

/** The jar is in the package of PyPI; Java is the machine's. */
async function openapiGenerator(folder: string, args: readonly string[]): Promise<void> {
  const python = await pythonWith('openapi-generator-7.26.0', ['openapi-generator-cli==7.26.0']);
  const generate = ['generate', '-i', 'openapi.json', '-o', 'client', '--skip-validate-spec', ...args];
  // Its script begins with the path of the folder where it was installed, which was moved since.
  await run(python, ['-c', 'from openapi_generator_cli import cli; cli()', ...generate], folder);
}

async function inGo(folder: string, program: string): Promise<{ program: string; args: string[] }> {
  await cp(join(PROGRAMS, program), join(folder, 'main.go'));
  await writeFile(join(folder, 'go.mod'), 'module generated\n\ngo 1.24\n');
  await run('go', ['mod', 'tidy'], folder, GO);
  await run('go', ['build', '-o', 'calls', '.'], folder, GO);
  return { program: join(folder, 'calls'), args: [] };
}

/** Of openapi-python-client, as the document's own description says. */
export const PYTHON_CLIENT_CONFIG =
  'post_hooks: []\ncontent_type_overrides:\n  application/x-ndjson: text/plain\n  application/offset+octet-stream: application/octet-stream\n';

export const GENERATORS: readonly Generator[] = [
  {
    name: 'openapi-typescript 7.13.0',
    async build(folder) {
      await writeFile(join(folder, 'package.json'), '{"type":"module"}');
      await run('npm', ['install', '--silent', '--no-audit', '--no-fund', 'openapi-typescript@7.13.0', 'openapi-fetch@0.17.0'], folder);
      await run(join(folder, 'node_modules/.bin/openapi-typescript'), ['openapi.json', '-o', 'api.ts', '--default-non-nullable=false'], folder);
      await cp(join(PROGRAMS, 'openapi-typescript.ts.txt'), join(folder, 'calls.ts'));
      await run(TSC, [...STRICT, ...TYPES, '--noEmit', '--allowImportingTsExtensions', 'calls.ts'], folder);
      return inNode('calls.ts');
    },
  },
  {
    name: 'openapi-python-client 0.29.1',
    async build(folder) {
      const python = await pythonWith('openapi-python-client-0.29.1', ['openapi-python-client==0.29.1']);
      await writeFile(join(folder, 'config.yml'), PYTHON_CLIENT_CONFIG);
      const generate = ['generate', '--path', 'openapi.json', '--config', 'config.yml', '--output-path', 'client', '--meta', 'none', '--fail-on-warning'];
      await run(python, ['-m', 'openapi_python_client', ...generate], folder);
      await run(python, ['-m', 'compileall', '-q', 'client'], folder);
      await cp(join(PROGRAMS, 'openapi_python_client.py'), join(folder, 'calls.py'));
      return { program: python, args: ['calls.py'] };
    },
  },
  {
    name: 'openapi-generator 7.26.0, typescript-fetch',
    async build(folder) {
      await openapiGenerator(folder, ['-g', 'typescript-fetch', '--additional-properties', 'importFileExtension=.js,supportsES6=true']);
      await writeFile(join(folder, 'package.json'), '{"type":"module"}');
      const source = join(folder, 'client', 'index.ts');
      await run(TSC, [...STRICT, ...TYPES, '--declaration', '--rootDir', 'client', '--outDir', 'client/dist', source], folder);
      await cp(join(PROGRAMS, 'openapi-generator.ts.txt'), join(folder, 'calls.ts'));
      await run(TSC, [...STRICT, ...TYPES, '--noEmit', 'calls.ts'], folder);
      return inNode('calls.ts');
    },
  },
  {
    name: 'openapi-generator 7.26.0, python',
    async build(folder) {
      await openapiGenerator(folder, ['-g', 'python']);
      const needs = ['urllib3>=2.7.0,<3.0.0', 'python-dateutil>=2.8.2', 'pydantic>=2.11', 'typing-extensions>=4.7.1'];
      const python = await pythonWith('openapi-generator-python-client', needs);
      await run(python, ['-m', 'compileall', '-q', 'client/openapi_client'], folder);
      await cp(join(PROGRAMS, 'openapi_generator.py'), join(folder, 'client', 'calls.py'));
      return { program: python, args: [join('client', 'calls.py')] };
    },
  },
  {
    name: 'openapi-generator 7.26.0, java',
    async build(folder) {
      await openapiGenerator(folder, ['-g', 'java', '--global-property', 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false']);
      const client = join(folder, 'client');
      await mkdir(join(client, 'calls'));
      await run('mvn', ['-q', '-B', 'compile', 'dependency:copy-dependencies', '-DoutputDirectory=jars'], client);
      const classPath = ['target/classes', 'jars/*', 'calls'].join(':');
      await run('javac', ['-cp', classPath, '-d', 'calls', join(PROGRAMS, 'Calls.java')], client);
      return { program: 'sh', args: ['-c', `cd client && exec java -cp '${classPath}' Calls`] };
    },
  },
  {
    name: 'oapi-codegen 2.8.2',
    async build(folder) {
      const { program } = await goProgram('github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen', 'v2.8.2');
      await mkdir(join(folder, 'api'));
      await run(program, ['-generate', 'types,client', '-package', 'api', '-o', 'api/api.gen.go', 'openapi.json'], folder);
      return inGo(folder, 'oapi-codegen.go');
    },
  },
  {
    name: 'ogen 1.25.0',
    async build(folder) {
      const { program } = await goProgram('github.com/ogen-go/ogen/cmd/ogen', 'v1.25.0');
      // By its own option it leaves out operations with what it has not implemented, and names each.
      const settings = 'generator:\n  ignore_not_implemented: ["all"]\n  features:\n    disable_all: true\n    enable: ["paths/client"]\n';
      await writeFile(join(folder, 'ogen.yml'), settings);
      const log = await run(program, ['--config', 'ogen.yml', '--target', 'api', '--package', 'api', '--clean', 'openapi.json'], folder);
      await writeFile(join(folder, 'skipped.txt'), [...log.matchAll(OGEN_SKIPS)].map(([, reason]) => `${reason}\n`).join(''));
      return inGo(folder, 'ogen.go');
    },
  },
];
