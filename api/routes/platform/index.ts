// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { platformRoutes } from './platform.ts';

export const platformArea = { platform: platformRoutes } satisfies AreaHandlers;
