// The environment of the process that serves imported agents, read once.
import { z } from 'zod';
import { LOG_LEVELS } from '#contract/states.ts';

export const Environment = z.object({
  DATABASE_URL: z.url(),
  TEMPORAL_ADDRESS: z.string().min(1),
  TEMPORAL_NAMESPACE: z.string().min(1).default('svc'),
  SVC_BASE_URL: z.url().transform((url) => url.replace(/\/$/, '')),
  SVC_AGENTS_DOMAIN: z.string().min(1),
  SVC_STATE_DIR: z.string().min(1),
  SVC_SECRETS_DIR: z.string().min(1),
  SVC_HOST_SOCKET: z.string().min(1),
  SVC_LOG_LEVEL: z.enum([...LOG_LEVELS, 'silent']).default('info'),
  /**
   * `host` or `host:port`, separated by commas: internal addresses that people may import agents from, over
   * plain http too.
   */
  SVC_IMPORT_LOCAL_HOSTS: z
    .string()
    .transform((text) => text.split(',').flatMap((one) => (one.trim() === '' ? [] : [one.trim()])))
    .optional(),
});

export type ImportsEnvironment = z.infer<typeof Environment>;

/** Throws an error that names every missing or wrong variable. */
export function readEnvironment(env: NodeJS.ProcessEnv): ImportsEnvironment {
  const parsed = Environment.safeParse(env);
  if (parsed.success) return parsed.data;
  throw new Error(`The environment of imported agents is not complete:\n${z.prettifyError(parsed.error)}\nnpm run up sets it`);
}
