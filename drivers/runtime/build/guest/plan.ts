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
   * What is done by this call. `inspect` goes on to bundle when there is nothing to install; installing is apart so that
   * its result can be kept before any foreign code has run.
   */
  stage: z.enum(['inspect', 'install', 'bundle']),
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

/** What `inspect` prints as its only line on standard output. */
export const Inspection = z.object({
  needs_install: z.boolean(),
  /** Hash of everything that decides what an install yields; null when that cannot be known beforehand. */
  cache_key: z.string().nullable(),
});
export type Inspection = z.infer<typeof Inspection>;

/** A mistake of the author: printed without a stack, exit code 65. */
export class AuthorError extends Error {}
export const authorExit = 65;
