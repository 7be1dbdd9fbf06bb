import type { Knex } from 'knex';
import type { z } from 'zod';
import type { DatabaseBindingIn, DatabaseBoundOut } from '#contract/agents/database-parts.ts';
import { act, done, unchanged } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';
import { agentFor, noSuchAgent } from '../agent/find.ts';
import { restartAgent } from '../followers.ts';
import { addBinding } from './binding.ts';
import { noteDatabase } from './events.ts';
import { projectById, projectFor, requireBranch, requireReady, roleOf } from './find.ts';
import { presentBinding, selectBindings } from './present.ts';

/** @throws Conflict variable_taken, database_not_ready, database_binding_limit, deployment_under_way */
export async function bindDatabase(ctx: Ctx, i: { project_id: string } & z.output<typeof DatabaseBindingIn>): Promise<z.infer<typeof DatabaseBoundOut>> {
  return act(ctx, 'database.bind', projectById(i.project_id), async (ctx) => {
    const agent = await agentFor(ctx.db, ctx.actor, 'agent.inspect', i.agent);
    // The agent's row first, as in a deployment that declares a database.
    await ctx.db('agents').where({ agent_id: agent.agent_id }).forUpdate().first('agent_id');
    const project = await projectFor(ctx.db, ctx.actor, 'database.bind', i.project_id, true);
    if (agent.owner_id !== project.owner_id) throw noSuchAgent(i.agent);
    const branch = await requireBranch(ctx.db, project, i.branch);
    requireReady(project, branch);
    const role = await roleOf(ctx.db, branch.branch_id, i.access);
    const binding_id = await addBinding(ctx.db, ctx.clock(), { agent, role_id: role.role_id, variable: i.variable, declared: false });
    await noteDatabase(ctx.db, ctx.clock(), project.project_id, { kind: 'bound', branch: branch.name, agent: agent.name, detail: i.variable });
    const again = i.restart ? await restartAgent(ctx, { user_id: project.owner_id }, agent.agent_id) : undefined;
    const row = await selectBindings(ctx.db).where({ 'i.binding_id': binding_id }).first();
    if (!row) throw new Error('the binding was not stored');
    return done(
      { database: project.project_id },
      { agent_id: agent.agent_id, branch: branch.name, access: i.access, variable: i.variable },
      { binding: presentBinding(row), applies: again ? 'restarting' : 'next_start', deploy_id: again?.deploy_id ?? null },
    );
  });
}

/**
 * Its live instance is replaced; where a deployment is under way, that starts without it. @throws NotFound
 * database_binding_not_found
 */
export async function unbindDatabase(ctx: Ctx, i: { project_id: string; binding_id: string }): Promise<void> {
  await act(ctx, 'database.bind', projectById(i.project_id), async (ctx, project) => {
    const binding = await selectBindings(ctx.db).where({ 'i.binding_id': i.binding_id, 'b.project_id': project.project_id }).first();
    if (!binding) throw new NotFound('database_binding_not_found', `${project.name} has no such binding: see "svc databases get ${project.name}"`);
    await ctx.db('agents').where({ agent_id: binding.agent_id }).forUpdate().first('agent_id');
    // Another member of the account unbound it a moment ago.
    if ((await ctx.db('database_bindings').where({ binding_id: binding.binding_id }).delete()) === 0) return unchanged(undefined);
    await noteDatabase(ctx.db, ctx.clock(), project.project_id, { kind: 'unbound', branch: binding.branch, agent: binding.agent, detail: binding.variable });
    await restartUnlessDeploying(ctx.db, () => restartAgent(ctx, { user_id: project.owner_id }, binding.agent_id));
    return done({ database: project.project_id }, { agent_id: binding.agent_id, variable: binding.variable, unbound: true });
  });
}

/** A deployment under way reads its bindings when it starts. */
export async function restartUnlessDeploying(tx: Knex.Transaction, restart: () => Promise<unknown>): Promise<void> {
  try {
    await restart();
  } catch (error) {
    if (!(error instanceof Conflict && error.code === 'deployment_under_way')) throw error;
  }
}
