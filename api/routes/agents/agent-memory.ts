import type { agentMemory } from '#contract/agents/agent-memory.ts';
import { putMemory } from '#core/agents/memory/put.ts';
import { deleteMemory, getMemory, listMemory } from '#core/agents/memory/read.ts';
import { searchMemory } from '#core/agents/memory/search.ts';
import type { Handlers } from '../../http/handlers.ts';

export const agentMemoryRoutes: Handlers<typeof agentMemory> = {
  list: (ctx, { params, query }) => listMemory(ctx, { ...params, ...query }),
  create: (ctx, { params, body }) => putMemory(ctx, { ...params, ...body }),
  upsert: (ctx, { params, body }) => putMemory(ctx, { ...params, ...body }),
  search: (ctx, { params, query }) => searchMemory(ctx, { ...params, ...query }),
  get: (ctx, { params, query }) => getMemory(ctx, { ...params, ...query }),
  delete: (ctx, { params, query }) => deleteMemory(ctx, { ...params, ...query }),
};
