// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { chatThreadRoutes } from './chat-threads.ts';
import { chatRoutes } from './chat.ts';
import { dagRunRoutes } from './dag-runs.ts';
import { schedulePreviewRoutes, scheduleRoutes } from './schedules.ts';

export const conversationArea = {
  chat: chatRoutes,
  chatThreads: chatThreadRoutes,
  dagRuns: dagRunRoutes,
  schedules: { ...scheduleRoutes, ...schedulePreviewRoutes },
} satisfies AreaHandlers;
