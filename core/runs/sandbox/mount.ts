// A granted workspace inside a sandbox: files are copied in, and what changed comes back as patches of the
// run.
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { WorkspaceAccess } from '#contract/wire/card.ts';
import { grantFilter } from '#contract/wire/containment.ts';
import { isPath } from '#contract/wire/patterns.ts';
import type { SandboxFile } from '#drivers/sandbox/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { inTurns } from '../../kernel/in-turns.ts';
import { Conflict, Forbidden } from '../../kernel/errors.ts';
import { tokenOfRow } from '../../workspace/grant/keys.ts';
import { type VerifiedGrant, verifyGrant } from '../../workspace/grant/verify.ts';
import { deleteGranted, writeGranted } from '../../workspace/patch/stage.ts';
import { listGranted, readGranted } from '../../workspace/patch/view.ts';
import { approvedWrite } from '../../pauses/scope/approve-writes.ts';
import { driven, sandboxDriver } from './rows.ts';

const MAX_MOUNT_BYTES = 64 * 1024 * 1024;
const maxFiles = 2000;

/** The paths to be copied. @throws Conflict mount_too_large */
export async function mountable(ctx: Ctx, token: string, policy: WorkspaceAccess): Promise<string[]> {
  const most = {
    files: policy.enabled && policy.max_files > 0 ? Math.min(policy.max_files, maxFiles) : maxFiles,
    bytes: Math.min(policy.max_total_size_bytes, MAX_MOUNT_BYTES),
  };
  const paths: string[] = [];
  let bytes = 0;
  let cursor: string | undefined;
  do {
    const page = await listGranted(ctx, { token, limit: 200, cursor });
    for (const file of page.items) {
      paths.push(file.path);
      bytes += file.size_bytes;
    }
    if (paths.length > most.files || bytes > most.bytes)
      throw new Conflict('mount_too_large', `A sandbox takes at most ${most.files} files of ${most.bytes} bytes together: ask for a narrower grant`);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return paths;
}

export async function* contents(ctx: Ctx, token: string, paths: readonly string[]): AsyncGenerator<SandboxFile> {
  for (const path of paths) {
    const file = await readGranted(ctx, { token, path });
    yield { path, content: await buffer(await file.open()) };
  }
}

/** The mount's grant, as long as it holds. @throws Forbidden mount_over */
export async function mountedGrant(ctx: Ctx, grantId: string): Promise<VerifiedGrant & { token: string }> {
  const row = await ctx.db('grants').where({ grant_id: grantId }).first();
  try {
    if (!row) throw over();
    const token = await tokenOfRow(ctx, row);
    return { ...(await verifyGrant(ctx, token)), token };
  } catch (error) {
    throw error instanceof Forbidden ? over() : error;
  }
}

/** What the grant lets write; other changes stay in the sandbox. Staged again, a change is the same patch. */
export async function stageChanges(ctx: Ctx, sandboxId: string, { grant, token }: VerifiedGrant & { token: string }): Promise<void> {
  if (grant.mode !== 'read_write_overlay') return;
  const writable = grantFilter(grant, 'write');
  const changes = await driven(() => sandboxDriver(ctx).changes(sandboxId, MAX_MOUNT_BYTES));
  for await (const { path, content } of inTurns(changes)) {
    if (!isPath(path) || !writable(path)) continue;
    await approvedWrite(ctx, { token, path }, () =>
      content
        ? writeGranted(ctx, { token, path, body: Readable.from([Buffer.from(content)], { objectMode: false }), mime: undefined })
        : deleteGranted(ctx, { token, path }),
    );
  }
}

function over(): Forbidden {
  return new Forbidden('mount_over', "The grant of this sandbox's workspace does not hold any more: remove the sandbox and create it with a new grant");
}
