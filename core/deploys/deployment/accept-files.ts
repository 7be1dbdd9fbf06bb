// Taking in a project that the platform wrote: from an API description, a composition, an editor.
import type { z } from 'zod';
import type { AgentFromTarballOut } from '#contract/agents/agents.ts';
import { requireUser } from '../../kernel/policy.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { inScratch } from '../../kernel/scratch.ts';
import { packProject, type ProjectFile } from '../../agents/source/pack.ts';
import { acceptArchive, type ArchiveOrigin, storeArchive } from './accept-archive.ts';

/** As an upload of these files: the same checks and limits. `message` is the first line of the commit. */
export async function acceptFiles(
  ctx: Ctx,
  i: { files: readonly ProjectFile[]; message: string; public?: boolean | undefined; beside?: ArchiveOrigin['beside']; built?: ArchiveOrigin['built'] },
): Promise<z.infer<typeof AgentFromTarballOut>> {
  const user = requireUser(ctx, 'agent.deploy');
  return inScratch(ctx, 'written', async (folder) => {
    const archive = await packProject(folder, i.files);
    return acceptArchive(ctx, user, async (key) => ({ ...(await storeArchive(ctx, key, archive)), public: i.public }), {
      message: i.message,
      beside: i.beside,
      built: i.built,
    });
  });
}
