// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { inboxRoutes } from './inbox.ts';

export const pausesArea = {
  inbox: inboxRoutes,
} satisfies AreaHandlers;
