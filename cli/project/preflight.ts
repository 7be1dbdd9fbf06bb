// `svc test`: checks what could fail at a deploy and, if requested, runs each skill once for real.
import { withoutMark } from '#contract/wire/byte-order-mark.ts';
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import type { AgentCard, SkillCard } from '#contract/wire/card.ts';
import { AgentEvent, FailedPayload, QuestionPayload } from '#contract/wire/events.ts';
import { namedModels } from '#contract/wire/model-use.ts';
import { sample } from '#contract/sample.ts';
import { UsageError } from '../lib/errors.ts';
import { type Progress, type Say, withProgress } from '../lib/progress.ts';
import { readEvents } from '../lib/sse.ts';
import { checkProject } from './check.ts';
import { checkBuilt, frontendOf } from './frontend.ts';
import { openFront } from './front.ts';
import { type RecordingMode, startRecordingGateway } from '../recordings/gateway.ts';
import { RecordingInvalid } from '../recordings/recording.ts';
import { retire, serveProject } from './load.ts';
import { formatProblem, ProjectError } from './problem.ts';
import { entryOf, type Project } from './read.ts';

export interface Finding {
  check: string;
  state: 'ok' | 'warning' | 'failed' | 'skipped';
  /** What was seen, or what to do. */
  says: string;
}

export interface Preflight {
  folder: string;
  /** Read beside the environment when it is there; required when it was named. */
  envFile: { path: string; named: boolean };
  /** Folder that stands for the caller's workspace. */
  workspace: string | undefined;
  invoke: boolean;
  /** Only this one. */
  skill: string | undefined;
  /** Its arguments; made from its schema when absent. */
  args: Record<string, unknown> | undefined;
  /** What models answer is recorded, or comes from recordings; absent: models are asked as they are. */
  models?: { mode: RecordingMode; folder: string } | undefined;
  /** The project's own tests: a program and its arguments. Its output goes to `say`. */
  command?: readonly string[] | undefined;
  say?: Say;
  /** Traces whole, with the frames of the SDK. */
  verbose?: boolean | undefined;
  /** Of its environment and its types. */
  progress?: Progress | undefined;
}

const SILENT: Progress = { say: () => undefined, end: () => undefined };

/** Findings as they are made. */
export async function* preflight(options: Preflight): AsyncGenerator<Finding> {
  const env = await readEnv(options);
  let checked: { project: Project; card: AgentCard };
  try {
    checked = await withProgress(options.progress ?? SILENT, (say) => checkProject(options.folder, say));
  } catch (error) {
    if (!(error instanceof ProjectError)) throw error;
    for (const problem of error.problems) yield { check: 'project', state: 'failed', says: formatProblem(problem) };
    return;
  }
  const { project, card } = checked;
  yield {
    check: 'project',
    state: 'ok',
    says: `${card.name} ${card.version}: ${basename(entryOf(project).file)}, ${card.skills.map(({ id }) => id).join(', ')}`,
  };
  requireSkill(card, options.skill);
  yield* names('secrets', card.required_secrets, env, options.envFile.path);
  yield* names('environment', card.required_env, env, options.envFile.path);
  yield* schemas(card);
  if (project.manifest.frontend) yield await frontend(project);
  if (options.models) yield* withRecordings(project, card, env, options, options.models);
  else yield* trials(project, card, env, options);
}

async function* trials(project: Project, card: AgentCard, env: NodeJS.ProcessEnv, options: Preflight): AsyncGenerator<Finding> {
  if (options.invoke) yield* invocations(project, card, env, options);
  if (options.command && options.command.length > 0) yield await ownTests(project, env, options.command, options.say);
}

async function* withRecordings(
  project: Project,
  card: AgentCard,
  env: NodeJS.ProcessEnv,
  options: Preflight,
  { mode, folder }: NonNullable<Preflight['models']>,
): AsyncGenerator<Finding> {
  const gateway = await startRecordingGateway(resolve(project.folder, folder), mode, env).catch((error: unknown) => {
    throw error instanceof RecordingInvalid ? new UsageError(error.message) : error;
  });
  try {
    yield* trials(project, card, { ...env, ...gateway.env }, options);
  } finally {
    await gateway.close();
  }
  const { answered, problems, recordings } = gateway.seen;
  const requests = `${answered} ${answered === 1 ? 'request' : 'requests'}`;
  if (problems.length > 0) yield { check: 'models', state: 'failed', says: [...new Set(problems)].join('; ') };
  else if (mode === 'record') yield { check: 'models', state: 'ok', says: `${requests} recorded in ${folder}: read them before you commit them` };
  else yield { check: 'models', state: 'ok', says: `${requests} answered from ${recordings.taken} of ${recordings.all} recordings` };
}

/** As a person runs them, in the project's folder. */
async function ownTests(project: Project, env: NodeJS.ProcessEnv, [program = '', ...args]: readonly string[], say: Say = () => undefined): Promise<Finding> {
  const own = { ...namedModels(project.manifest.models), ...env };
  const { promise, resolve: done } = Promise.withResolvers<string | undefined>();
  const child = spawn(program, args, { cwd: project.folder, env: own, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const output of [child.stdout, child.stderr]) output.setEncoding('utf8').on('data', (chunk: string) => say(chunk));
  child.once('error', ({ message }) => done(message));
  child.once('close', (code, signal) => done(code === 0 ? undefined : `ended by ${signal ?? `exit code ${code}`}`));
  const failed = await promise;
  const shown = [program, ...args].join(' ');
  return failed === undefined ? { check: 'tests', state: 'ok', says: shown } : { check: 'tests', state: 'failed', says: `${shown}: ${failed}` };
}

async function readEnv({ folder, envFile }: Preflight): Promise<NodeJS.ProcessEnv> {
  const text = await readFile(join(resolve(folder), envFile.path), 'utf8').catch(() => undefined);
  if (text === undefined && envFile.named) throw new UsageError(`--env-file: ${envFile.path} cannot be read.`);
  return { ...(text === undefined ? {} : parseEnv(withoutMark(text))), ...process.env };
}

function* names(check: string, required: readonly string[], env: NodeJS.ProcessEnv, file: string): Generator<Finding> {
  const missing = required.filter((name) => !env[name]);
  if (required.length === 0) return;
  if (missing.length === 0) yield { check, state: 'ok', says: required.join(', ') };
  else yield { check, state: 'warning', says: `not set: ${missing.join(', ')}. Put them into ${file}; a deploy continues with the same warning.` };
}

function* schemas(card: AgentCard): Generator<Finding> {
  const bad = card.skills.flatMap((skill) =>
    [skill.input_schema, skill.output_schema].flatMap((schema) => {
      try {
        z.fromJSONSchema(schema);
        return [];
      } catch (error) {
        return [`${skill.id}: ${error instanceof Error ? error.message : String(error)}`];
      }
    }),
  );
  yield bad.length === 0 ? { check: 'schemas', state: 'ok', says: 'arguments and results' } : { check: 'schemas', state: 'failed', says: bad.join('; ') };
}

async function frontend(project: Project): Promise<Finding> {
  try {
    const resolved = frontendOf(project);
    await checkBuilt(resolved);
    return { check: 'frontend', state: 'ok', says: `${resolved.mount}, auth ${resolved.auth}` };
  } catch (error) {
    if (!(error instanceof ProjectError)) throw error;
    const missing = error.problems.some(({ file }) => file?.endsWith('index.html'));
    return missing
      ? { check: 'frontend', state: 'warning', says: 'not built here: svc frontend build (a deploy builds it itself)' }
      : { check: 'frontend', state: 'failed', says: error.message };
  }
}

function requireSkill({ name, skills }: AgentCard, only: string | undefined): void {
  if (only === undefined || skills.some(({ id }) => id === only)) return;
  throw new UsageError(`--skill: there is no skill "${only}"; ${name} has: ${skills.map(({ id }) => id).join(', ')}`);
}

/** Longer than a skill without a person or another agent should take. */
const INVOKE_MS = 60_000;

async function* invocations(
  project: Project,
  card: AgentCard,
  env: NodeJS.ProcessEnv,
  { skill: only, args, workspace, verbose }: Preflight,
): AsyncGenerator<Finding> {
  const skills = only === undefined ? card.skills : card.skills.filter(({ id }) => id === only);
  const front = await openFront({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${front.port}`;
  const serving = await serveProject(project.folder, entryOf(project), { url, env, workspace, verbose });
  front.leadTo(serving.child);
  try {
    for (const skill of skills) {
      const given = args ?? sampleOf(skill);
      if (given === undefined) yield skipped(skill);
      else yield await invokeOnce(url, env['SVC_API_KEY'], skill, given);
    }
  } finally {
    front.close();
    await retire(serving);
  }
}

/** Skipped where the schema has no example and arguments cannot be made from it. */
function sampleOf({ input_schema: schema }: SkillCard): Record<string, unknown> | undefined {
  const made = sample(z.fromJSONSchema(schema));
  return typeof made === 'object' && made !== null ? { ...made } : undefined;
}

function skipped({ id }: SkillCard): Finding {
  return { check: `invoke ${id}`, state: 'skipped', says: `no arguments can be made from its schema: svc test --invoke --skill ${id} --args-json '{…}'` };
}

async function invokeOnce(url: string, apiKey: string | undefined, { id }: SkillCard, args: Record<string, unknown>): Promise<Finding> {
  const check = `invoke ${id}`;
  const started = performance.now();
  const shown = JSON.stringify(args);
  const tell = (state: Finding['state'], says: string): Finding => ({
    check,
    state,
    says: `${shown} → ${says} (${Math.round(performance.now() - started)} ms)`,
  });
  const gone = new AbortController();
  const timer = setTimeout(() => gone.abort(), INVOKE_MS);
  try {
    const response = await fetch(`${url}/invoke/${id}`, {
      method: 'POST',
      body: shown,
      signal: gone.signal,
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
    });
    if (!response.ok) return tell('failed', brief(await response.text()));
    for await (const { data } of readEvents(response)) {
      const { kind, payload } = AgentEvent.parse(data);
      if (kind === 'result') return tell('ok', brief(JSON.stringify(payload['result'])));
      if (kind === 'failed') return tell('failed', FailedPayload.parse(payload).detail.message);
      if (kind === 'question') return tell('ok', `asks "${QuestionPayload.parse(payload).prompt}" (not answered here)`);
      if (kind === 'scope_request') return tell('ok', 'asks for a wider grant (not given here)');
    }
    return tell('failed', 'the stream ended without a result');
  } catch (error) {
    if (gone.signal.aborted) return tell('failed', `not done after ${INVOKE_MS / 1000} s`);
    return tell('failed', error instanceof Error ? error.message : String(error));
  } finally {
    clearTimeout(timer);
    gone.abort();
  }
}

function brief(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
