import type { chat } from '#contract/conversation/chat.ts';
import { decideHandoff, giveInput } from '#core/conversation/chat/decide.ts';
import { followMessage, MAX_WAIT_SECONDS, sendMessage, WAIT_SECONDS } from '#core/conversation/chat/send.ts';
import { answerQuestion, decideScope } from '#core/pauses/decision/card.ts';
import type { Handlers } from '../../http/handlers.ts';
import { serverEvents, wantsEvents } from './chat-threads.ts';

export const chatRoutes: Handlers<typeof chat> = {
  send: async (ctx, { headers, body }, http) => {
    const message = { ...body, key: headers['idempotency-key'], signal: http.signal };
    if (wantsEvents(http)) return http.reply(200, serverEvents(await followMessage(ctx, message)));
    return http.reply(200, await sendMessage(ctx, { ...message, waitSeconds: waitSeconds(headers.prefer) }));
  },
  decideHandoff: (ctx, { params, body }) => decideHandoff(ctx, { ...params, ...body }),
  giveInput: (ctx, { params, body }) => giveInput(ctx, { ...params, ...body }),
  answerQuestion: (ctx, { params, body }) => answerQuestion(ctx, { ...params, answer: body.answer }),
  decideScope: (ctx, { params, body }) => decideScope(ctx, { ...params, ...body }),
};

/** `Prefer: wait=10` (RFC 7240). */
function waitSeconds(prefer: string | undefined): number {
  const [, seconds] = /(?:^|[\s,;])wait\s*=\s*(\d{1,6})/i.exec(prefer ?? '') ?? [];
  return seconds === undefined ? WAIT_SECONDS : Math.min(Number(seconds), MAX_WAIT_SECONDS);
}
