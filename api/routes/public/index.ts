// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { publicRoutes } from './public.ts';

export const publicArea = { public: publicRoutes } satisfies AreaHandlers;
