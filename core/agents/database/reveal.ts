import type { DatabaseAccess } from '#contract/states.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { noteDatabase } from './events.ts';
import { projectById, requireBranch, requireReady, roleOf } from './find.ts';
import { databaseUrl, passwordOf } from './password.ts';

/** The one place that answers with a password. @throws Conflict database_not_ready */
export async function revealDatabaseUrl(ctx: Ctx, i: { project_id: string; branch: string; access: DatabaseAccess }): Promise<{ url: string }> {
  return act(ctx, 'database.reveal', projectById(i.project_id, true), async (ctx, project) => {
    const branch = await requireBranch(ctx.db, project, i.branch);
    requireReady(project, branch);
    const { role_id } = await roleOf(ctx.db, branch.branch_id, i.access);
    const row = await ctx.db('database_logins').where({ role_id, state: 'current' }).first();
    if (!row || project.host === null || project.port === null) throw new Error(`branch ${branch.branch_id} is ready and has no login`);
    await noteDatabase(ctx.db, ctx.clock(), project.project_id, { kind: 'role_revealed', branch: branch.name, detail: i.access });
    const url = databaseUrl({ login: row.login, password: await passwordOf(ctx, row), host: project.host, port: project.port, database: branch.database_name });
    return done({ database: project.project_id }, { branch: branch.name, access: i.access }, { url: project.tls === true ? `${url}?sslmode=require` : url });
  });
}
