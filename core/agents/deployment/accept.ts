// Taking in a project: the upload is stored and checked, its source committed, and the deployment queued in one transaction.
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { parse as parseYaml } from 'yaml'; // the YAML 1.2 parser without custom tags or code
import type { z } from 'zod';
import type { AgentFromTarballOut } from '#contract/agents/agents.ts';
import { type Manifest, ManifestError, parseManifest } from '#contract/wire/manifest.ts';
import { requireUser } from '../../kernel/policy.ts';
import type { Ctx, UserActor } from '../../kernel/ctx.ts';
import { BadGateway, BadRequest, DomainError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { entryCandidates, languageOf } from '../source/language.ts';
import { defaultSourceLimits } from '../source/limits.ts';
import { tooLarge } from '../source/refusals.ts';
import { unpackSource } from '../source/unpack.ts';
import { queueDeployment } from './queue.ts';

export type TarballPart = { kind: 'field'; name: string; value: string } | { kind: 'file'; name: string; stream: Readable };

export async function acceptTarball(ctx: Ctx, parts: AsyncIterable<TarballPart>): Promise<z.infer<typeof AgentFromTarballOut>> {
  const user = requireUser(ctx, 'agent.deploy');
  const sourceKey = `sources/${newId('src', ctx.clock())}.tar.gz`;
  let queueing = false;
  const folder = await mkdtemp(join(await ctx.drivers.scratch(), 'upload-'));
  try {
    const form = await readForm(ctx, parts, sourceKey);
    const source = await unpackSource(await ctx.drivers.storage.get(sourceKey), folder);
    const manifest = await readManifest(folder);
    if (form.name !== undefined && form.name !== manifest.name) {
      throw new BadRequest('name_mismatch', `The form names ${form.name}, svc.yaml names ${manifest.name}: use one name in both`);
    }
    await requireEntryModule(folder, manifest);
    const commit = await commitSource(ctx, user, folder, manifest, source.files);
    queueing = true;
    return await queueDeployment(ctx, user, {
      manifest,
      public: form.public ?? manifest.expose?.public ?? null,
      sourceKey,
      sourceSha256: form.sha256,
      sourceBytes: form.bytes,
      commit,
    });
  } catch (error) {
    // When the database went away over the commit, the deployment may be there: then it needs its source.
    if (!queueing || error instanceof DomainError) await ctx.drivers.storage.delete(sourceKey);
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Form {
  name?: string;
  public?: boolean;
  sha256: string;
  bytes: number;
}

async function readForm(ctx: Ctx, parts: AsyncIterable<TarballPart>, sourceKey: string): Promise<Form> {
  const form: Partial<Form> = {};
  for await (const part of parts) {
    if (part.kind === 'file') {
      const stored = await ctx.drivers.storage.put(sourceKey, Readable.from(withCeiling(part.stream), { objectMode: false }));
      form.sha256 = stored.sha256;
      form.bytes = stored.size_bytes;
    } else if (part.name === 'name') form.name = part.value;
    else if (part.name === 'public') form.public = part.value === 'true';
  }
  if (form.sha256 === undefined || form.bytes === undefined) {
    throw new BadRequest('source_missing', 'Send the project as a gzipped tar in the file field "source"');
  }
  return { ...form, sha256: form.sha256, bytes: form.bytes };
}

/** The upload ends where it grows too large, before it fills the disk. */
async function* withCeiling(stream: Readable): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > defaultSourceLimits.compressedBytes) throw tooLarge(defaultSourceLimits);
    yield chunk;
  }
}

/** It is parsed in one go, on the thread that serves everybody. */
const maxManifestBytes = 64 * 1024;

async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, 'svc.yaml');
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  if (size > maxManifestBytes)
    throw new BadRequest('manifest_invalid', `svc.yaml is larger than ${maxManifestBytes} bytes, the limit: keep only what describes the agent`);
  const text = await readFile(path, 'utf8').catch(() => {
    throw new BadRequest('manifest_missing', 'The project has no svc.yaml at its top: `svc init` writes one');
  });
  let value: unknown;
  try {
    value = parseYaml(text, { maxAliasCount: 0 });
  } catch (error) {
    throw new BadRequest('manifest_invalid', `svc.yaml is not YAML: ${error instanceof Error ? error.message.split('\n')[0] : 'unreadable'}`);
  }
  try {
    return parseManifest(value);
  } catch (error) {
    if (error instanceof ManifestError) throw new BadRequest(error.code, error.message, { issues: error.issues });
    throw error;
  }
}

async function requireEntryModule(folder: string, manifest: Manifest): Promise<void> {
  const candidates = entryCandidates(manifest.entrypoint);
  const there = new Set<string>();
  for (const path of [...candidates, 'go.mod', 'Cargo.toml']) {
    const found = await stat(join(folder, path)).catch(() => undefined);
    if (found?.isFile()) there.add(path);
  }
  if (languageOf(manifest.entrypoint, (path) => there.has(path)) !== undefined) return;
  throw new BadRequest(
    'entrypoint_missing',
    `svc.yaml says entrypoint ${manifest.entrypoint}, but there is no ${candidates.join(' or ')} in the project, nor a go.mod or Cargo.toml`,
  );
}

async function commitSource(ctx: Ctx, user: UserActor, folder: string, manifest: Manifest, files: number): Promise<string> {
  try {
    const { commit } = await ctx.drivers.scm.commitTree({
      repository: sourceRepository(user.user_id, manifest.name),
      folder,
      branch: 'main',
      message: `Deploy ${manifest.name} ${manifest.version}\n\n${files} files\n`,
      author: { name: user.email.split('@')[0] ?? 'owner', email: user.email },
    });
    return commit;
  } catch (error) {
    throw new BadGateway(
      'source_hosting_failed',
      `The source could not be committed: ${error instanceof Error ? error.message.slice(0, 200) : 'unknown error'}. Nothing was deployed: try again`,
    );
  }
}

/** A name stays its owner's for ever, so this is stable for the agent. */
export function sourceRepository(ownerId: string, agentName: string): string {
  return `${ownerId}/${agentName}`;
}
