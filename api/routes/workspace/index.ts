// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { fileRoutes } from './files.ts';
import { grantRoutes } from './grants.ts';
import { workspaceGrantRoutes } from './workspace-grants.ts';

export const workspaceArea = { files: fileRoutes, grants: grantRoutes, workspaceGrants: workspaceGrantRoutes } satisfies AreaHandlers;
