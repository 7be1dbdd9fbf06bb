// What a caller has on an author's laptop: artifacts of its own runs; files under a grant it sends, and, of
// the machine's own person, under those given here.
import { isPath } from '../../../contract/wire/patterns.ts';
import { MAX_CONTENT_BYTES } from '../../../contract/run/caller-resources.ts';
import { ANYBODY } from '../runtime/owner.ts';
import { ContentTooLarge, type CallerContent, type CallerIdentity, type CallerPage, type CallerResources } from '../runtime/platform.ts';
import type { Artifacts } from './local-artifacts.ts';
import { mimeTypeOf } from './local-store.ts';
import { LOCAL_WORKSPACE, type LocalWorkspaces } from './local-workspace.ts';

export function localCaller({ agent, owner, grant }: CallerIdentity, artifacts: Artifacts, workspaces: LocalWorkspaces): CallerResources {
  const visible = (): ((path: string) => boolean) => workspaces.readable(agent, grant, { given: owner === ANYBODY });
  return {
    artifacts: async (page) => pageOf(owner === undefined ? [] : artifacts.listOf(agent, owner), page),
    // Everyone who knows its address may fetch it, so it may be read here, too.
    artifact: async (runId, name, link) => {
      const artifact = link !== undefined ? artifacts.get(runId, name) : owner === undefined ? undefined : artifacts.getOf(agent, owner, runId, name);
      return artifact && small(name, artifact, () => `fetch it at ${artifacts.addressOf(runId, name)}`);
    },
    files: async (page) => {
      const sees = visible();
      const paths = (await workspaces.store.list()).filter(sees);
      return pageOf(
        paths.map((path) => ({ workspace: LOCAL_WORKSPACE, path, mimeType: mimeTypeOf(path) })),
        page,
      );
    },
    file: async (workspace, path) => {
      if (workspace !== LOCAL_WORKSPACE || !isPath(path) || !visible()(path)) return undefined;
      const data = await workspaces.store.read(path);
      return data && small(path, { mimeType: mimeTypeOf(path), data }, () => 'open the file on this machine');
    },
  };
}

function small(name: string, content: CallerContent, elsewhere: () => string): CallerContent {
  const size = content.data.byteLength;
  if (size <= MAX_CONTENT_BYTES) return content;
  throw new ContentTooLarge(`${name} has ${size} bytes, and an answer carries at most ${MAX_CONTENT_BYTES}: ${elsewhere()}`);
}

/** A cursor is how many came before. */
function pageOf<T>(all: readonly T[], { limit, cursor }: { limit: number; cursor: string | null }): CallerPage<T> {
  const from = Number(cursor ?? 0);
  return { items: all.slice(from, from + limit), next: from + limit < all.length ? String(from + limit) : null };
}
