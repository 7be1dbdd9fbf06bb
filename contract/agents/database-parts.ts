// Parts of a database: branches, bindings, passwords, its end.
import { z } from 'zod';
import { svcGroup } from '../kit.ts';
import { Instant, nextCursor, pageQuery } from '../shared.ts';
import { DATABASE_EVENT_KINDS } from '../states.ts';
import { DatabaseName, DatabaseVariable, MAIN_BRANCH } from '../wire/database.ts';
import { AgentSlug } from '../wire/names.ts';
import { DatabaseAccess, DatabaseBindingOut, DatabaseProjectDetailOut, ProjectParams } from './databases.ts';

const branch = DatabaseName.default(MAIN_BRANCH);
const force = z.boolean().default(false).meta({ description: 'Also while agents are bound to it: they lose it.' });
const restart = z.boolean().default(true).meta({ description: 'Replace the live instance of the agent, so that it applies now.' });
const of = ProjectParams;

const DatabaseBranchIn = z
  .strictObject({ name: DatabaseName.meta({ examples: ['preview'] }), from: branch.meta({ description: 'Branch that is copied, with what is in it.' }) })
  .meta({ id: 'DatabaseBranchIn' });
export const DatabaseBindingIn = z
  .strictObject({ agent: AgentSlug, branch, access: DatabaseAccess.default('owner'), variable: DatabaseVariable.default('DATABASE_URL'), restart })
  .meta({ id: 'DatabaseBindingIn' });
export const DatabaseBoundOut = z
  .strictObject({
    binding: DatabaseBindingOut,
    applies: z.enum(['next_start', 'restarting']).meta({ description: 'next_start: from the next deployment or restart on.' }),
    deploy_id: z.string().nullable().meta({ description: 'Deployment of the restart: the same image, deployed again.' }),
  })
  .meta({ id: 'DatabaseBoundOut' });
const DatabaseRoleIn = z.strictObject({ branch, access: DatabaseAccess }).meta({ id: 'DatabaseRoleIn' });
const DatabaseUrlOut = z
  .strictObject({
    url: z.string().meta({ description: 'Contains the password. Where the server listens only for this installation, it works only on that machine.' }),
  })
  .meta({ id: 'DatabaseUrlOut' });
export const DatabaseEventOut = z
  .strictObject({
    event_id: z.string(),
    kind: z.enum(DATABASE_EVENT_KINDS),
    branch: z.string().nullable(),
    agent: z.string().nullable(),
    detail: z.string().nullable().meta({ description: 'Access of a role, allowance, or the code of an error.' }),
    at: Instant,
  })
  .meta({ id: 'DatabaseEventOut' });
export type DatabaseEventOut = z.infer<typeof DatabaseEventOut>;

export const databaseParts = svcGroup({
  remove: {
    at: 'DELETE /v1/me/databases/{project_id}',
    summary: 'Delete a database with all its branches',
    description: 'It takes no connections from now on, and is dropped a moment later. Nothing of it can be restored.',
    scope: 'account',
    params: of,
    query: z.object({ force }),
    status: 204,
    errors: [401, 403, 404, 409],
  },
  createBranch: {
    at: 'POST /v1/me/databases/{project_id}/branches',
    summary: 'Copy a branch into a new one',
    description: 'While it is copied, the branch that it is copied from takes no connections, and those that are open end.',
    scope: 'account',
    params: of,
    body: DatabaseBranchIn,
    out: DatabaseProjectDetailOut,
    status: 201,
    errors: [401, 403, 404, 409],
  },
  removeBranch: {
    at: 'DELETE /v1/me/databases/{project_id}/branches/{branch}',
    summary: 'Delete a branch',
    description: `${MAIN_BRANCH} is deleted only with the database.`,
    scope: 'account',
    params: of.extend({ branch: DatabaseName }),
    query: z.object({ force }),
    status: 204,
    errors: [401, 403, 404, 409],
  },
  bind: {
    at: 'POST /v1/me/databases/{project_id}/bindings',
    summary: 'Give an agent the database, as the URL in an environment variable',
    scope: 'account',
    params: of,
    body: DatabaseBindingIn,
    out: DatabaseBoundOut,
    status: 201,
    errors: [401, 403, 404, 409],
  },
  unbind: {
    at: 'DELETE /v1/me/databases/{project_id}/bindings/{binding_id}',
    summary: 'Take the database from an agent',
    description: 'The live instance is replaced. An agent whose svc.yaml declares the database gets it again with its next deployment.',
    scope: 'account',
    params: of.extend({ binding_id: z.string().min(1).max(64) }),
    status: 204,
    errors: [401, 403, 404],
  },
  rotate: {
    at: 'POST /v1/me/databases/{project_id}/rotations',
    summary: 'Give a role a new password',
    description:
      'Agents that are bound to the role are restarted. The previous password stays valid until all of them run with the new one, for one hour at most.',
    scope: 'account',
    params: of,
    body: DatabaseRoleIn,
    out: DatabaseProjectDetailOut,
    status: 202,
    errors: [401, 403, 404, 409],
  },
  reveal: {
    at: 'POST /v1/me/databases/{project_id}/urls',
    summary: 'Show the URL of a role with its password',
    description: 'The audit log names who asked.',
    scope: 'account',
    params: of,
    body: DatabaseRoleIn,
    out: DatabaseUrlOut,
    status: 201,
    errors: [401, 403, 404, 409],
  },
  events: {
    at: 'GET /v1/me/databases/{project_id}/events',
    summary: 'List events of a database, newest first',
    scope: 'account',
    params: of,
    query: pageQuery(50, 200),
    out: z.strictObject({ items: z.array(DatabaseEventOut), next_cursor: nextCursor }).meta({ id: 'DatabaseEventListOut' }),
    errors: [400, 401, 403, 404],
  },
});
