import type { chat } from '../../../contract/runs/chat.ts';
import { answerQuestion, decideScope } from '../../../core/runs/wait/card.ts';
import type { Handlers } from '../../http/handlers.ts';

export const chatRoutes: Handlers<typeof chat> = {
  answerQuestion: (ctx, { params, body }) => answerQuestion(ctx, { ...params, answer: body.answer }),
  decideScope: (ctx, { params, body }) => decideScope(ctx, { ...params, ...body }),
};
