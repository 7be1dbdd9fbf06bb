// Files as the agent may show them to its present caller: those that the caller's grants let it read.
import type { z } from 'zod';
import type { CallerFileOut, ContentOut } from '#contract/run/caller-resources.ts';
import { grantFilter } from '#contract/wire/containment.ts';
import type { Grant } from '#contract/wire/grant.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { inTurns } from '../../kernel/in-turns.ts';
import { decodeCursor, encodeCursor, type Page } from '../../kernel/page.ts';
import { contentOf } from '../file/content.ts';
import { viewOf } from '../file/present.ts';
import { noSuchFile } from '../file/read.ts';
import { bucketOf, bucketOwner } from '../grant/bucket.ts';
import { callersGrants } from '../grant/callers.ts';
import { noteRead } from './note-read.ts';
import { seenFile, seenFiles } from './overlay.ts';

/** Rows read at once, and at most for one page: narrow patterns over many files give short pages. */
const BATCH = 1_000;
const MAX_BATCHES = 20;

interface Workspace {
  name: string;
  visible: (path: string) => boolean;
}

export async function listCallersFiles(
  ctx: Ctx,
  i: { limit: number; cursor?: string | undefined; token?: string | undefined },
): Promise<Page<z.infer<typeof CallerFileOut>>> {
  const workspaces = workspacesOf(await callersGrants(ctx, i.token));
  const [at, after] = i.cursor === undefined ? ['', ''] : decodeCursor(i.cursor, ['string', 'string']);
  const items: z.infer<typeof CallerFileOut>[] = [];
  let batches = 0;
  for (const { name, visible } of workspaces) {
    if (name < at) continue;
    // U+0001 sorts before all that a path may hold: the first path after it.
    let from = name === at && after !== '' ? `${after}\u0001` : '';
    for (;;) {
      const rows = await seenFiles(ctx, { bucket: bucketOf(name), from, prefix: '', limit: BATCH });
      batches += 1;
      for await (const { path, mime_type, size_bytes, updated_at } of inTurns(rows)) {
        if (!visible(path)) continue;
        if (items.length === i.limit) return { items, next_cursor: encodeCursor([items.at(-1)?.workspace ?? '', items.at(-1)?.path ?? '']) };
        items.push({ workspace: name, path, mime_type, size_bytes: Number(size_bytes), updated_at: updated_at.toISOString() });
      }
      const last = rows.at(-1);
      if (!last || rows.length < BATCH) break;
      if (batches >= MAX_BATCHES) return { items, next_cursor: encodeCursor([name, last.path]) };
      from = `${last.path}\u0001`;
    }
  }
  return { items, next_cursor: null };
}

/**
 * @throws NotFound file_not_found, alike for what there is not and what is not granted; PayloadTooLarge
 * content_too_large
 */
export async function readCallersFile(ctx: Ctx, i: { workspace: string; path: string; token?: string | undefined }): Promise<z.infer<typeof ContentOut>> {
  const workspace = workspacesOf(await callersGrants(ctx, i.token)).find(({ name }) => name === i.workspace);
  const file = workspace?.visible(i.path) ? await seenFile(ctx, bucketOf(i.workspace), i.path) : undefined;
  if (!file) throw noSuchFile(i.path);
  const view = viewOf(ctx, file);
  await noteRead(ctx, view);
  return contentOf(view, () => `let a skill of the agent read it, or read the file itself at ${ctx.config.baseUrl}/v1/me/files`);
}

/** By name. A file is seen that one of the grants lets see. */
function workspacesOf(grants: readonly Grant[]): Workspace[] {
  const filters = new Map<string, ((path: string) => boolean)[]>();
  for (const grant of grants) {
    const name = bucketOwner(grant.bucket);
    if (name !== undefined) filters.set(name, [...(filters.get(name) ?? []), grantFilter(grant, 'read')]);
  }
  return [...filters]
    .map(([name, visible]) => ({ name, visible: (path: string) => visible.some((sees) => sees(path)) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
