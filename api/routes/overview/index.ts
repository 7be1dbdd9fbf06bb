// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { controlRoomRoutes } from './control-room.ts';

export const overviewArea = {
  controlRoom: controlRoomRoutes,
} satisfies AreaHandlers;
