// Databases of an account: project → branch → role → binding to a variable of an agent. What is beside the
// specification's routes is in database-parts.ts.
import { z } from 'zod';
import { group } from '../kit.ts';
import { Fault, Instant, nextCursor, pageQuery, SequenceNumber } from '../shared.ts';
import { DATABASE_ACCESSES, DATABASE_ALLOWANCES, DATABASE_STATES } from '../states.ts';
import { DatabaseName } from '../wire/database.ts';

export const MAX_DATABASE_BRANCHES = 5;
/** To one branch at a time, all its roles together. */
export const MAX_DATABASE_CONNECTIONS = 10;

export const DatabaseAccess = z.enum(DATABASE_ACCESSES).meta({
  id: 'DatabaseAccess',
  description: 'read_only: reads. read_write: reads and changes rows. owner: makes and changes tables, too.',
});

const DatabaseState = z.enum(DATABASE_STATES).meta({
  id: 'DatabaseState',
  description:
    'pending: it is being set up. ready: it takes connections. failed: see error, then create it again. deleting: it is being dropped. deleted: it is gone.',
});

const DatabaseAllowance = z.enum(DATABASE_ALLOWANCES).meta({
  id: 'DatabaseAllowance',
  description:
    'full: as the roles say. delete_only: it is larger than max_bytes, or all databases of the account are larger than they may be, so rows can only be read and deleted. closed: one of the two by a quarter, so it takes no connections.',
});

export const ProjectParams = z.object({
  project_id: z
    .string()
    .min(1)
    .max(64)
    .meta({ examples: ['dbp_0192f0c4-7b1e-7a3c-9d2e-5f6a7b8c9d0e'] }),
});

const project = {
  project_id: z.string(),
  name: z.string(),
  engine: z.literal('postgres'),
  state: DatabaseState,
  allowance: DatabaseAllowance,
  size_bytes: z.int().meta({ description: 'Size of all branches, as last measured.' }),
  max_bytes: z.int(),
  connections: z.int().meta({ description: 'Open to all branches, as last measured.' }),
  measured_at: Instant.nullable(),
  error: Fault.nullable(),
  created_at: Instant,
  updated_at: Instant,
};

export const DatabaseProjectOut = z.strictObject(project).meta({ id: 'DatabaseProjectOut' });
export type DatabaseProjectOut = z.infer<typeof DatabaseProjectOut>;
export const DatabaseQuotaOut = z
  .strictObject({
    databases: z.int(),
    max_databases: z.int(),
    branches: z.int().meta({ description: 'Branches of all databases, main of each included.' }),
    max_branches: z.int(),
    size_bytes: z.int().meta({ description: 'Size of all databases, as last measured; a branch that is being copied counts with the size of its source.' }),
    max_bytes: z.int().meta({ description: 'Above it rows of all databases can only be read and deleted; above it by a quarter they take no connections.' }),
  })
  .meta({
    id: 'DatabaseQuotaOut',
    description: 'What the account has of databases, and what it may have by its plan and by the settings of the installation.',
  });
export type DatabaseQuotaOut = z.infer<typeof DatabaseQuotaOut>;

export const DatabaseProjectListOut = z
  .strictObject({
    items: z.array(DatabaseProjectOut),
    next_cursor: nextCursor,
    limit: z.int().meta({ description: 'Databases that the account may have.' }),
    quota: DatabaseQuotaOut,
  })
  .meta({ id: 'DatabaseProjectListOut' });

const DatabaseRoleOut = z
  .strictObject({
    access: DatabaseAccess,
    login: z.string().meta({ description: 'Its name on the server.' }),
    rotating: z.boolean().meta({ description: 'A new password is being set up, or the one before is still valid.' }),
    rotated_at: Instant,
  })
  .meta({ id: 'DatabaseRoleOut' });

export const DatabaseBranchOut = z
  .strictObject({
    name: z.string(),
    parent: z.string().nullable().meta({ description: 'Branch that it was copied from.' }),
    state: DatabaseState,
    database_name: z.string().meta({ description: 'Its name on the server.' }),
    size_bytes: z.int(),
    connections: z.int(),
    max_connections: z.int(),
    error: Fault.nullable(),
    roles: z.array(DatabaseRoleOut),
    created_at: Instant,
  })
  .meta({ id: 'DatabaseBranchOut' });
export type DatabaseBranchOut = z.infer<typeof DatabaseBranchOut>;

export const DatabaseBindingOut = z
  .strictObject({
    binding_id: z.string(),
    agent: z.string(),
    branch: z.string(),
    access: DatabaseAccess,
    variable: z.string().meta({ description: 'Environment variable of the agent that has the URL; a secret of that name, too.' }),
    declared: z.boolean().meta({ description: 'Declared by resources of svc.yaml.' }),
    created_at: Instant,
  })
  .meta({ id: 'DatabaseBindingOut' });
export type DatabaseBindingOut = z.infer<typeof DatabaseBindingOut>;

export const DatabaseProjectDetailOut = z
  .strictObject({ ...project, branches: z.array(DatabaseBranchOut), bindings: z.array(DatabaseBindingOut) })
  .meta({ id: 'DatabaseProjectDetailOut' });
export type DatabaseProjectDetailOut = z.infer<typeof DatabaseProjectDetailOut>;

const DatabaseProjectIn = z.strictObject({ name: DatabaseName.meta({ examples: ['orders'] }) }).meta({ id: 'DatabaseProjectIn' });

export const ProvisionerStatusOut = z
  .strictObject({
    served: z.boolean().meta({ description: 'Whether this installation has a server for databases.' }),
    healthy: z.boolean().meta({ description: 'A provisioner has reached the server within the last minute.' }),
    heartbeat_at: Instant.nullable().meta({ description: 'When a provisioner last reached the server.' }),
    server_version: z.string().nullable(),
    error: z.string().nullable().meta({ description: 'Why the server was not reached when that was tried last.' }),
    pending: z.int().meta({ description: 'Branches that wait to be set up, of all accounts.' }),
    deleting: z.int().meta({ description: 'Branches that wait to be dropped, of all accounts.' }),
    oldest_pending_seconds: SequenceNumber.nullable(),
  })
  .meta({ id: 'ProvisionerStatusOut' });

export const databases = group({
  list: {
    at: 'GET /v1/me/databases',
    summary: 'Databases of the account, newest first',
    scope: 'account',
    query: pageQuery(50, 200),
    out: DatabaseProjectListOut,
    errors: [400, 401, 403],
  },
  create: {
    at: 'POST /v1/me/databases',
    summary: 'Create a database',
    description: 'It is ready some seconds later. One that failed is tried again under its name.',
    scope: 'account',
    body: DatabaseProjectIn,
    out: DatabaseProjectDetailOut,
    status: 201,
    errors: [401, 403, 409],
  },
  provisionerStatus: {
    at: 'GET /v1/me/databases/provisioner-status',
    summary: 'Read whether databases can be created now, and how many wait',
    scope: 'account',
    out: ProvisionerStatusOut,
    errors: [401, 403],
  },
  get: {
    at: 'GET /v1/me/databases/{project_id}',
    summary: 'A database with its branches, roles and bindings',
    scope: 'account',
    params: ProjectParams,
    out: DatabaseProjectDetailOut,
    errors: [401, 403, 404],
  },
});
