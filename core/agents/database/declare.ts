// What svc.yaml declares of databases, before anything is built: what is missing is made, and the agent is
// bound to it.
import type { Knex } from 'knex';
import { type DatabaseDeclaration, MAIN_BRANCH } from '#contract/wire/database.ts';
import type { LocalResources } from '#contract/wire/manifest.ts';
import { audit } from '../../kernel/audit.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { Conflict, type DomainError } from '../../kernel/errors.ts';
import { addBinding } from './binding.ts';
import { openProject, reopenProject } from './create.ts';
import { noteDatabase } from './events.ts';
import { branchNamed, roleOf } from './find.ts';
import { databaseNameOf } from './names.ts';
import { isServed } from './open-branch.ts';

interface Agent {
  agent_id: string;
  name: string;
  owner_id: string;
}

/**
 * In the transaction that queues the deployment, which holds the agent's row. @throws Conflict, its message
 * begins with the field of svc.yaml
 */
export async function declareDatabases(ctx: TxCtx, agent: Agent, resources: LocalResources | undefined): Promise<void> {
  for (const { field, ...wanted } of await declaredOf(ctx.db, agent, resources)) {
    try {
      await declareOne(ctx, agent, wanted);
    } catch (error) {
      throw error instanceof Conflict ? fieldNamed(error, field) : error;
    }
  }
}

interface Declared extends DatabaseDeclaration {
  field: string;
}

async function declaredOf(tx: Knex.Transaction, agent: Agent, resources: LocalResources | undefined): Promise<Declared[]> {
  const all = (resources?.databases ?? []).map((one, at): Declared => ({ ...one, field: `resources.databases.${at}` }));
  if (resources?.database === undefined) return all;
  const own: Declared = { name: databaseNameOf(agent.name), branch: MAIN_BRANCH, access: 'owner', variable: 'DATABASE_URL', field: 'resources.database' };
  // A database of the owner's own, in a secret, goes before; and where there are none here, the secret is
  // what is left.
  const given = await tx('agent_secrets').where({ agent_id: agent.agent_id, name: own.variable }).first('name');
  return given || !(await isServed(tx)) ? all : [own, ...all];
}

async function declareOne(ctx: TxCtx, agent: Agent, wanted: DatabaseDeclaration): Promise<void> {
  const { project } = await openProject(ctx, { ownerId: agent.owner_id, name: wanted.name });
  if (project.state === 'failed') await reopenProject(ctx, project);
  if (project.state === 'deleting') throw new Conflict('database_not_ready', `${wanted.name} is being deleted: deploy again in a moment, or name another`);
  const branch = await branchNamed(ctx.db, project.project_id, wanted.branch);
  if (!branch || branch.state === 'deleting')
    throw new Conflict(
      'database_not_ready',
      `${wanted.name} has no branch ${wanted.branch}: create it first, with "svc databases branch ${wanted.name} ${wanted.branch}"`,
    );
  const { role_id } = await roleOf(ctx.db, branch.branch_id, wanted.access);
  const bound = await ctx.db('database_bindings').where({ agent_id: agent.agent_id, variable: wanted.variable }).first();
  if (bound?.role_id === role_id) {
    await ctx.db('database_bindings').where({ binding_id: bound.binding_id }).update({ declared: true });
    return;
  }
  // What a person bound by hand is theirs to take away.
  if (bound && !bound.declared) return;
  if (bound) await ctx.db('database_bindings').where({ binding_id: bound.binding_id }).update({ role_id });
  else await addBinding(ctx.db, ctx.clock(), { agent, role_id, variable: wanted.variable, declared: true });
  await noteDatabase(ctx.db, ctx.clock(), project.project_id, { kind: 'bound', branch: branch.name, agent: agent.name, detail: wanted.variable });
  await audit(
    ctx,
    'database.bind',
    { database: project.project_id },
    {
      agent_id: agent.agent_id,
      branch: branch.name,
      access: wanted.access,
      variable: wanted.variable,
      declared: true,
    },
  );
}

function fieldNamed(error: DomainError<409>, field: string): Conflict {
  return new Conflict(error.entry as ConstructorParameters<typeof Conflict>[0], `svc.yaml: ${field}: ${error.message}`, { ...error.details, field });
}

/**
 * In the transaction that makes the deployment live: what an earlier svc.yaml declared, and this one does
 * not.
 */
export async function dropUndeclared(tx: Knex.Transaction, agent: Agent, manifest: unknown): Promise<void> {
  // Safe: it was checked when it was taken in.
  const { resources } = Object(manifest) as { resources?: LocalResources };
  const variables = (resources?.databases ?? []).map(({ variable }) => variable);
  if (resources?.database !== undefined) variables.push('DATABASE_URL');
  await tx('database_bindings').where({ agent_id: agent.agent_id, declared: true }).whereNotIn('variable', variables).delete();
}
