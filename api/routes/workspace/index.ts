// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { fileUploadRoutes } from './file-uploads.ts';
import { fileRoutes } from './files.ts';
import { folderRoutes } from './folders.ts';
import { grantRevocationRoutes } from './grant-revocation.ts';
import { grantRoutes } from './grants.ts';
import { workspaceGrantRoutes } from './workspace-grants.ts';

export const workspaceArea = {
  files: { ...fileRoutes, ...folderRoutes },
  fileUploads: fileUploadRoutes,
  grants: { ...grantRoutes, ...grantRevocationRoutes },
  workspaceGrants: workspaceGrantRoutes,
} satisfies AreaHandlers;
