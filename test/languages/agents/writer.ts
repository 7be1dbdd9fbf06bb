// Asks models with ctx.llm; writer.py is the same in Python, and both answer in its names.
import { Agent, ModelFailed, skill, z, type LlmResult } from '#sdk/typescript/index.ts';

const Order = z.object({ item: z.string(), cups: z.int() });
const withModel = z.object({ model: z.string() });

export class Writer extends Agent {
  name = 'writer';
  description = 'Writes with a model.';
  version = '1.0.0';

  ask = skill({ input: z.object({ model: z.string().optional(), max_tokens: z.int().optional() }) }, async (ctx, { model, max_tokens: maxTokens }) =>
    snake(await ctx.llm.generate('Where am I?', { model, maxTokens })),
  );
  tell = skill({ stream: true, input: withModel }, async (ctx, { model }) => {
    const stream = ctx.llm.stream('Where am I?', { model });
    for await (const delta of stream) await ctx.emitTextDelta(delta);
    return snake(await stream.result());
  });
  glance = skill({ input: withModel }, async (ctx, { model }) => {
    for await (const delta of ctx.llm.stream('Where am I?', { model })) return delta;
    return '';
  });
  order = skill({}, async (ctx) => await ctx.llm.object(Order, 'Two teas.', { model: 'm-1' }));
  refused = skill({ input: withModel }, async (ctx, { model }) => {
    try {
      return (await ctx.llm.generate('Where am I?', { model })).text;
    } catch (error) {
      if (error instanceof ModelFailed) return [error.modelCode, error.modelStatus, error.message];
      throw error;
    }
  });
}

function snake({ toolCalls, finishReason, usage, ...same }: LlmResult): object {
  const counted = { input_tokens: usage.inputTokens, cached_input_tokens: usage.cachedInputTokens, output_tokens: usage.outputTokens };
  return { ...same, tool_calls: toolCalls, finish_reason: finishReason, usage: counted };
}
