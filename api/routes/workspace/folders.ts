import type { folders } from '#contract/workspace/folders.ts';
import { moveFolder } from '#core/workspace/file/move-folder.ts';
import type { Handlers } from '../../http/handlers.ts';

export const folderRoutes: Handlers<typeof folders> = { moveFolder: (ctx, { body }) => moveFolder(ctx, body) };
