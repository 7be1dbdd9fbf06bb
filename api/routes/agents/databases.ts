import type { databaseParts } from '#contract/agents/database-parts.ts';
import type { databases } from '#contract/agents/databases.ts';
import { bindDatabase, unbindDatabase } from '#core/agents/database/bind.ts';
import { createDatabaseBranch } from '#core/agents/database/branch.ts';
import { createDatabase } from '#core/agents/database/create.ts';
import { listDatabaseEvents } from '#core/agents/database/events.ts';
import { getDatabase, listDatabases } from '#core/agents/database/list.ts';
import { removeDatabase, removeDatabaseBranch } from '#core/agents/database/remove.ts';
import { revealDatabaseUrl } from '#core/agents/database/reveal.ts';
import { rotateDatabaseRole } from '#core/agents/database/rotate.ts';
import { provisionerStatus } from '#core/agents/database/status.ts';
import type { Handlers } from '../../http/handlers.ts';

export const databaseRoutes: Handlers<typeof databases> = {
  list: (ctx, { query }) => listDatabases(ctx, query),
  create: (ctx, { body }) => createDatabase(ctx, body),
  provisionerStatus: (ctx) => provisionerStatus(ctx),
  get: (ctx, { params }) => getDatabase(ctx, params),
};

export const databasePartRoutes: Handlers<typeof databaseParts> = {
  remove: (ctx, { params, query }) => removeDatabase(ctx, { ...params, ...query }),
  createBranch: (ctx, { params, body }) => createDatabaseBranch(ctx, { ...params, ...body }),
  removeBranch: (ctx, { params, query }) => removeDatabaseBranch(ctx, { ...params, ...query }),
  bind: (ctx, { params, body }) => bindDatabase(ctx, { ...params, ...body }),
  unbind: (ctx, { params }) => unbindDatabase(ctx, params),
  rotate: (ctx, { params, body }) => rotateDatabaseRole(ctx, { ...params, ...body }),
  reveal: (ctx, { params, body }) => revealDatabaseUrl(ctx, { ...params, ...body }),
  events: (ctx, { params, query }) => listDatabaseEvents(ctx, { ...params, ...query }),
};
