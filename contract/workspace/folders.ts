// Folders of files: what their paths begin with.
import { z } from 'zod';
import { svcGroup } from '../kit.ts';
import { FilePrefix } from './files.ts';

/** A folder: what paths of files begin with, and "/" at its end. */
const FolderPath = FilePrefix.refine((text) => text.endsWith('/'), 'is not a folder: it ends with "/"').meta({ examples: ['notes/'] });

export const FolderMoveIn = z
  .strictObject({
    from: FolderPath,
    to: FolderPath,
    overwrite: z.boolean().default(false).meta({ description: 'Files take the place of those that have their new paths.' }),
  })
  .meta({ id: 'FolderMoveIn' });
export const FolderMoveOut = z.strictObject({ from: z.string(), to: z.string(), files: z.int().min(1) }).meta({ id: 'FolderMoveOut' });

export const folders = svcGroup({
  moveFolder: {
    at: 'POST /v1/me/folders/move',
    summary: 'Give all files of a folder their new paths, at once',
    description: 'All or none. 409 when there is a file at a new path, unless `overwrite` says so. Grants are for paths: they do not move along.',
    scope: 'account',
    body: FolderMoveIn,
    out: FolderMoveOut,
    errors: [401, 403, 404, 409],
  },
});
