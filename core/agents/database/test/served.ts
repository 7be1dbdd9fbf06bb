// A server for the databases of tests: the one of the test's own cluster; and the steps of provisioning, as
// the workflow does them.
import { expect } from 'vitest';
import { postgresServer } from '#drivers/databases/postgres.ts';
import type { TestContext } from '#test/support/context.ts';
import { finishBranch, makeDatabase, makeLogins, prepareProject } from '../provision.ts';
import { tendServer } from '../tend.ts';

/** From here on there is a server. */
export async function serveDatabases(t: TestContext): Promise<void> {
  t.ctx.drivers.databases ??= postgresServer({ adminUrl: t.databaseUrl });
  await tendServer(t.ctx, 'local');
}

export async function provisionAll({ ctx }: TestContext): Promise<void> {
  for (const branchId of await ctx.db('database_branches').where({ state: 'pending' }).orderBy('created_at').pluck('branch_id'))
    for (const step of [prepareProject, makeDatabase, makeLogins, finishBranch]) expect(await step(ctx, branchId)).toBe('done');
}
