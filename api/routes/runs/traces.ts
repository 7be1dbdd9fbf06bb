import type { traces } from '#contract/runs/traces.ts';
import { readRunInput } from '#core/runs/run/read-input.ts';
import { readTrace } from '#core/runs/trace/read.ts';
import type { Handlers } from '../../http/handlers.ts';

export const traceRoutes: Handlers<typeof traces> = {
  ofAgent: (ctx, { params }) => readTrace(ctx, params),
  mine: (ctx, { params }) => readTrace(ctx, params),
  input: (ctx, { params }) => readRunInput(ctx, params),
};
