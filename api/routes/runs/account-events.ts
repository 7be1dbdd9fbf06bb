import type { accountEvents } from '#contract/runs/account-events.ts';
import { followAccount } from '#core/pauses/inbox/follow.ts';
import type { AccountEvent } from '#core/kernel/wakeups.ts';
import type { Handlers, ServerEvent } from '../../http/handlers.ts';

export const accountEventRoutes: Handlers<typeof accountEvents> = {
  stream: (ctx, _, http) => sent(followAccount(ctx, { lastId: http.lastEventId, signal: http.signal })),
};

async function* sent(events: AsyncIterable<AccountEvent>): AsyncGenerator<ServerEvent<Pick<AccountEvent, 'kind'> & { id: string | null }>> {
  for await (const { id, kind, of } of events) yield { id, event: kind, data: { kind, id: of } };
}
