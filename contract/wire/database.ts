// What svc.yaml, the API and the host say of an agent's databases.
import { z } from 'zod';
import { DATABASE_ACCESSES } from '../states.ts';

/**
 * Where a PostgreSQL client in an agent's machine connects to, on 127.0.0.1: the host passes it on to the
 * database.
 */
export const DATABASE_PORT = 5432;

const DATABASE_NAME = '[a-z][a-z0-9]*(?:-[a-z0-9]+)*';
export const DatabaseName = z
  .string()
  .max(40)
  .regex(new RegExp(`^${DATABASE_NAME}$`), 'start with a lower-case letter, then lower-case letters, digits and single inner hyphens, e.g. "orders"');

export const MAIN_BRANCH = 'main';

/** Of an environment: nothing of the platform's own, and nothing by which programs are loaded. */
export const DatabaseVariable = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'use upper-case letters, digits and _, e.g. "DATABASE_URL"')
  .refine((name) => !name.startsWith('SVC_'), 'names that begin with SVC_ are the platform’s own')
  .refine((name) => !/^(?:LD_|DYLD_|NODE_|PYTHON|PATH$|HOME$)/.test(name), 'this variable decides how programs are loaded: choose another, e.g. "DATABASE_URL"')
  .meta({ pattern: '^(?!SVC_|LD_|DYLD_|NODE_|PYTHON|PATH$|HOME$)[A-Z][A-Z0-9_]{0,63}$', examples: ['DATABASE_URL'] });

/** One of `resources.databases` in svc.yaml. */
export const DatabaseDeclaration = z.strictObject({
  name: DatabaseName.meta({ description: 'A database of the account; created if it does not exist.' }),
  branch: DatabaseName.default(MAIN_BRANCH),
  access: z.enum(DATABASE_ACCESSES).default('owner'),
  variable: DatabaseVariable.default('DATABASE_URL'),
});
export type DatabaseDeclaration = z.infer<typeof DatabaseDeclaration>;

export const MAX_DECLARED_DATABASES = 10;

export const DatabaseDeclarations = z
  .array(DatabaseDeclaration)
  .max(MAX_DECLARED_DATABASES)
  .superRefine((all, problems) => {
    all.forEach(({ variable }, at) => {
      if (all.findIndex((other) => other.variable === variable) === at) return;
      problems.addIssue({ code: 'custom', path: [at, 'variable'], message: `two databases are given as ${variable}: name another variable for one` });
    });
  });
