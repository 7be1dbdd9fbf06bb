// What the host asks of the build program, and where everything is inside the build machine.
import { z } from 'zod';

export const buildPaths = {
  root: '/work',
  source: '/work/src',
  /** What becomes the layer; its root is the guest's root. */
  out: '/work/out',
  /** The platform's SDK package, unpacked. */
  sdk: '/work/sdk',
} as const;

export const BuildPlan = z.object({
  /**
   * `begin` goes as far as it can: it stops before an install whose result is known, and after one whose result is to be
   * kept, which must be done before any foreign code has run. `bundle` is the rest.
   */
  stage: z.enum(['begin', 'bundle']),
  /** Keys of kept installs. */
  known: z.array(z.string()),
  /** Part of the keys: what else decides an install. */
  salt: z.string(),
  source: z.string(),
  out: z.string(),
  sdk: z.string(),
  /** `module:Class`. */
  entrypoint: z.string(),
  registry: z.string().optional(),
  egress: z.string(),
  egress_port: z.int(),
  max_output_bytes: z.int().positive(),
});
export type BuildPlan = z.infer<typeof BuildPlan>;

/** What `begin` prints as its first line on standard output, before it goes on. */
export const Inspection = z.object({
  /** Where it will stop. */
  until: z.enum(['inspected', 'installed', 'bundled']),
  /** Hash of everything that decides what an install yields; null when that cannot be known beforehand, or nothing is to be installed. */
  cache_key: z.string().nullable(),
});
export type Inspection = z.infer<typeof Inspection>;

/** A mistake of the author: printed without a stack, exit code 65. */
export class AuthorError extends Error {}
export const authorExit = 65;
