// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { chatRoutes } from './chat.ts';
import { chatThreadRoutes } from './chat-threads.ts';
import { dagRunRoutes } from './dag-runs.ts';
import { scheduleRoutes } from './schedules.ts';

export const conversationArea = {
  chat: chatRoutes,
  chatThreads: chatThreadRoutes,
  dagRuns: dagRunRoutes,
  schedules: scheduleRoutes,
} satisfies AreaHandlers;
