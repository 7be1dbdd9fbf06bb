// What deploy and local-deploy share: pack, upload, follow.
import { openAsBlob } from 'node:fs';
import type { z } from 'zod';
import { ApiError } from '#contract/client.ts';
import type { AgentFromTarballOut } from '#contract/agents/agents.ts';
import type { Api } from '../lib/api.ts';
import { CliError } from '../lib/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { plain, type Output } from '../lib/output.ts';
import { readProject } from '../project/read.ts';
import { checkBeforeUpload } from './check.ts';
import { followDeployment, type Deployment } from './follow.ts';
import { packProject } from './pack.ts';
import { size } from '../lib/size.ts';

export type Accepted = z.output<typeof AgentFromTarballOut>;

export interface Upload {
  folder: string;
  isPublic: boolean | undefined;
  /** Check the project here first. */
  validate: boolean;
  /** Upload what looks like a key. */
  allowSecrets: boolean;
}

/** @throws ProjectError before anything is sent */
export async function upload(client: Api, { folder, isPublic, validate, allowSecrets }: Upload, output: Output): Promise<Accepted> {
  await requireSignIn(client);
  if (validate) await checkBeforeUpload(folder, (text) => output.hint(plain(text).trimEnd()), output.progress());
  const { manifest } = await readProject(folder);
  const packed = await packProject(folder, { allowSecrets });
  try {
    for (const path of packed.skipped) output.note(`Left out ${path}: links and special files are not uploaded.`);
    sayIgnored(packed.ignored, output);
    output.note(
      `Uploading ${manifest.name} ${manifest.version}: ${packed.files.length} ${packed.files.length === 1 ? 'file' : 'files'}, ${size(packed.bytes)}`,
    );
    const form = new FormData();
    form.set('name', manifest.name);
    if (isPublic !== undefined) form.set('public', String(isPublic));
    // Read from disk as it is sent: a large project does not have to fit into memory.
    form.set('source', await openAsBlob(packed.archive, { type: 'application/gzip' }), 'source.tar.gz');
    return await client.agents.fromTarball({ body: form });
  } finally {
    await packed.remove();
  }
}

/** So that nobody waits for a project to be packed, and then reads that they are not signed in. */
async function requireSignIn(client: Api): Promise<void> {
  await client.auth.me().catch((error: unknown) => {
    // What else a token may not do, the upload itself says.
    if (!(error instanceof ApiError) || error.status === 401) throw error;
  });
}

const MAX_LISTED_PATHS = 12;

export function sayIgnored(ignored: readonly string[], output: Output): void {
  if (ignored.length === 0) return;
  const more = ignored.length > MAX_LISTED_PATHS ? ` and ${ignored.length - MAX_LISTED_PATHS} more` : '';
  output.note(`Left out by .gitignore, .svcignore or as never uploaded: ${plain(ignored.slice(0, MAX_LISTED_PATHS).join(', '))}${more}`);
}

/** Follows to the end; ctrl-C stops the watching only. Throws CliError unless it went live. */
export async function waitUntilLive(client: Api, { name, deploy_id: deployId }: Pick<Accepted, 'name' | 'deploy_id'>, output: Output): Promise<Deployment> {
  const stop = new AbortController();
  const onInterrupt = () => stop.abort();
  process.once('SIGINT', onInterrupt);
  try {
    const deployment = await followDeployment({ client, agent: name, deployId, output, signal: stop.signal });
    return await afterEnd(client, deployment, name);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    throw new CliError(`\nThe deploy continues without this command. Follow it with: svc logs ${name} --deploy ${deployId} -f`, EXIT.interrupted, {
      cause: error,
    });
  } finally {
    process.removeListener('SIGINT', onInterrupt);
  }
}

async function afterEnd(client: Api, deployment: Deployment, name: string): Promise<Deployment> {
  const { state, error, deploy_id: deployId } = deployment;
  // Superseded means it was live and a newer one has taken over.
  if (state === 'live' || state === 'superseded') return deployment;
  const reason = error ? `: ${error.message}` : '';
  const serving = await servingNow(client, name);
  throw new CliError(
    `The deploy ${state === 'cancelled' ? 'was cancelled' : 'failed'}${reason}\n${serving}The whole log: svc logs ${name} --deploy ${deployId}`,
  );
}

/** A line of what callers have now; none when that is not known. */
async function servingNow(client: Api, name: string): Promise<string> {
  const agent = await client.agents.get({ params: { name } }).catch(() => undefined);
  if (agent === undefined) return '';
  return agent.state === 'live' ? `${name} ${agent.version ?? 'unchanged'} keeps serving.\n` : `Nothing of ${name} serves until a deploy succeeds.\n`;
}
