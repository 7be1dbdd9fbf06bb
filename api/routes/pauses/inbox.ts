import type { inbox } from '#contract/pauses/inbox.ts';
import { getInboxWait } from '#core/pauses/inbox/get.ts';
import { listWaits } from '#core/pauses/inbox/list.ts';
import { readNotifications, setNotifications } from '#core/pauses/inbox/notifications.ts';
import type { Handlers } from '../../http/handlers.ts';

export const inboxRoutes: Handlers<typeof inbox> = {
  waits: (ctx, { query }) => listWaits(ctx, query),
  wait: (ctx, { params }) => getInboxWait(ctx, params),
  notifications: (ctx) => readNotifications(ctx),
  setNotifications: (ctx, { body }) => setNotifications(ctx, body),
};
