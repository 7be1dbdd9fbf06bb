// An HTTP service as an agent: its declaration, compiled from its OpenAPI description by the SDK, as `svc
// compile` does it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { isObject } from './project.ts';
import { AuthorError, buildPaths, nodePath, sidecarBundle, type BuildPlan } from './plan.ts';
import { outputOf } from './tools.ts';

const COMPILE_MS = 60_000;

/** `usual`: the arguments of its program where svc.yaml names none. @throws AuthorError */
export async function serviceDeclaration(plan: BuildPlan, service: NonNullable<BuildPlan['service']>, usual?: readonly string[]): Promise<string> {
  const { name, version, declaration } = service;
  const { openapi, args = usual } = declaration;
  const document = descriptionIn(plan.source, openapi);
  const { entrypoint, language } = plan;
  const input = join(buildPaths.root, 'service.json');
  writeFileSync(input, JSON.stringify({ name, version, entrypoint, language, document, service: { ...declaration, ...(args && { args }) } }));
  const output = await outputOf([nodePath, '-e', compile(join(plan.sdk, sidecarBundle), input)], buildPaths.root, COMPILE_MS);
  const answer: unknown = output === undefined ? undefined : JSON.parse(output);
  if (isObject(answer) && isObject(answer['dsl'])) return JSON.stringify(answer['dsl']);
  throw new AuthorError(isObject(answer) && typeof answer['invalid'] === 'string' ? answer['invalid'] : `${openapi} could not be compiled.`);
}

function descriptionIn(source: string, openapi: string): unknown {
  const file = resolve(source, openapi);
  if (!file.startsWith(source + sep) || !existsSync(file))
    throw new AuthorError(`service.openapi: there is no ${openapi} in the project; it is the OpenAPI description, in JSON or YAML.`);
  const text = readFileSync(file, 'utf8');
  try {
    return /\.json$/i.test(openapi) ? JSON.parse(text) : bunYaml().parse(text);
  } catch (error) {
    throw new AuthorError(`${openapi} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** This program only ever runs under bun, which defines the global. */
const bunYaml = (): { parse(text: string): unknown } => (globalThis as unknown as { Bun: { YAML: { parse(text: string): unknown } } }).Bun.YAML;

const compile = (bundle: string, input: string): string => `const { compileService } = require(${JSON.stringify(bundle)});
const fs = require('node:fs');
const say = (answer) => fs.writeSync(3, JSON.stringify(answer));
try { say({ dsl: compileService(JSON.parse(fs.readFileSync(${JSON.stringify(input)}, 'utf8'))) }); }
catch (error) { if (error.name !== 'ServiceInvalid') throw error; say({ invalid: error.message }); }`;
