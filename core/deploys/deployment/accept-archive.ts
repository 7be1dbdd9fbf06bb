// Taking in a project, wherever it comes from: its archive is stored and checked, its source committed, and
// the deployment queued in one transaction.
import { Readable } from 'node:stream';
import type { z } from 'zod';
import type { AgentFromTarballOut } from '#contract/agents/agents.ts';
import { DEFAULT_BRANCH } from '#contract/deploys/source.ts';
import type { Manifest } from '#contract/wire/manifest.ts';
import type { Ctx, UserActor } from '../../kernel/ctx.ts';
import { BadGateway, BadRequest, DomainError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { inScratch } from '../../kernel/scratch.ts';
import { sourceRepository } from '../../agents/agent/repository.ts';
import { defaultSourceLimits } from '../../agents/source/limits.ts';
import { readManifest, requireEntryModule } from '../../agents/source/manifest-of.ts';
import { sourceTooLarge } from '../../agents/source/refusals.ts';
import { unpackSource } from '../../agents/source/unpack.ts';
import { queueDeployment, type QueuedSource } from './queue.ts';

export interface StoredArchive {
  /** SHA-256 of the archive, hexadecimal. */
  sha256: string;
  bytes: number;
  /** The name its sender gave; must be the manifest's. */
  name?: string | undefined;
  /** Listing once live; absent: as the manifest has it. */
  public?: boolean | undefined;
}

export interface ArchiveOrigin {
  /** First line of the commit; default `Deploy <name> <version>`. */
  message?: string;
  /** The archive is this commit of the agent's repository already: nothing is committed. */
  commit?: string;
  /** The commit was pushed: it is queued once for that push. */
  pushed?: boolean | undefined;
  /** What belongs to the deployment, in its transaction. */
  beside?: QueuedSource['beside'];
  /** It was built already, of this very source. */
  built?: QueuedSource['built'];
}

/**
 * `store` brings the archive under the key it is given (storeArchive) and resolves with what came along. On a
 * refusal nothing of it stays.
 */
export async function acceptArchive(
  ctx: Ctx,
  user: UserActor,
  store: (sourceKey: string) => Promise<StoredArchive>,
  origin: ArchiveOrigin = {},
): Promise<z.infer<typeof AgentFromTarballOut>> {
  const sourceKey = `sources/${newId('src', ctx.clock())}.tar.gz`;
  let queueing = false;
  return inScratch(ctx, 'upload', async (folder) => {
    try {
      const stored = await store(sourceKey);
      const source = await unpackSource(await ctx.drivers.storage.get(sourceKey), folder);
      const manifest = await readManifest(user.user_id, folder);
      if (stored.name !== undefined && stored.name !== manifest.name) {
        throw new BadRequest('name_mismatch', `This is for ${stored.name}, and its svc.yaml names ${manifest.name}: use one name in both`);
      }
      await requireEntryModule(folder, manifest);
      const commit = origin.commit ?? (await commitSource(ctx, user, { folder, manifest, files: source.files, message: origin.message }));
      queueing = true;
      const { accepted, mine } = await queueDeployment(ctx, user, {
        manifest,
        public: stored.public ?? manifest.expose?.public ?? null,
        sourceKey,
        sourceSha256: stored.sha256,
        sourceBytes: stored.bytes,
        commit,
        pushed: origin.pushed,
        beside: origin.beside,
        built: origin.built,
      });
      if (!mine) await ctx.drivers.storage.delete(sourceKey);
      return accepted;
    } catch (error) {
      // When the database went away over the commit, the deployment may be there: then it needs its source.
      if (!queueing || error instanceof DomainError) await ctx.drivers.storage.delete(sourceKey);
      throw error;
    }
  });
}

/**
 * @throws PayloadTooLarge source_too_large where the stream grows past the limit of a project, before it
 * fills the disk
 */
export async function storeArchive(ctx: Pick<Ctx, 'drivers'>, sourceKey: string, stream: AsyncIterable<Uint8Array>): Promise<StoredArchive> {
  const stored = await ctx.drivers.storage.put(sourceKey, Readable.from(withCeiling(stream), { objectMode: false }));
  return { sha256: stored.sha256, bytes: stored.size_bytes };
}

async function* withCeiling(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > defaultSourceLimits.compressedBytes) throw sourceTooLarge(defaultSourceLimits);
    yield chunk;
  }
}

async function commitSource(
  ctx: Ctx,
  user: UserActor,
  { folder, manifest, files, message }: { folder: string; manifest: Manifest; files: number; message: string | undefined },
): Promise<string> {
  try {
    const { commit } = await ctx.drivers.scm.commitTree({
      repository: sourceRepository(user.user_id, manifest.name),
      folder,
      branch: DEFAULT_BRANCH,
      message: `${message ?? `Deploy ${manifest.name} ${manifest.version}`}\n\n${files} files\n`,
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
