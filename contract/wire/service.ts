// An HTTP service in any language as an agent: what svc.yaml says of it, and what is compiled of that and its
// OpenAPI description.
import { z } from 'zod';
import { EgressPolicy, Resources } from './card.ts';
import type { HttpOperation } from './http-operation.ts';

const EnvName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'use letters, digits and _');
const Path = z.string().regex(/^\/[^\s?#]*$/, 'start with "/"');
/** Stands for the port that the service is to listen on, in `args` and `env`. */
export const PORT_PLACE = '{port}';

const started = {
  /** What follows the program. */
  args: z.array(z.string()).optional(),
  env: z.record(EnvName, z.string()).default({}),
  /** Answers 2xx when the service is ready; absent: it is once it takes connections. */
  ready: Path.optional(),
  timeout_seconds: z.number().positive().max(86_400).default(60),
};

/** Of the block as JSON: it travels in an address. */
export const MAX_SERVICE_LENGTH = 4_000;

/** The block `service` of svc.yaml. */
export const ServiceDeclaration = z
  .strictObject({
    openapi: z
      .string()
      .min(1)
      .regex(/^(?!\/)(?!(?:.*\/)?\.\.(?:\/|$))/, 'name a file of the project'),
    ...started,
    description: z.string().min(1).max(2_000).optional(),
    /** Names of operations; absent: all. */
    only: z.array(z.string()).min(1).optional(),
    required_secrets: z.array(EnvName).default([]),
    required_env: z.array(EnvName).default([]),
    egress: z.strictObject(EgressPolicy.shape).partial().optional(),
    resources: z.strictObject(Resources.shape).partial().optional(),
    /** Requests at the same time. */
    concurrency: z.int().min(1).max(1_000).default(16),
  })
  .refine((block) => JSON.stringify(block).length <= MAX_SERVICE_LENGTH, `is longer than ${MAX_SERVICE_LENGTH} characters: choose fewer operations by name`);
export type ServiceDeclaration = z.infer<typeof ServiceDeclaration>;

/** In a compiled declaration: the program is no worker, it serves HTTP. */
export const ServiceDsl = z.strictObject({
  ...started,
  /** By skill. The compiler wrote them; a wrong one fails its own calls. */
  operations: z.record(
    z.string(),
    z.custom<HttpOperation>((value) => typeof value === 'object' && value !== null && 'at' in value),
  ),
});
export type ServiceDsl = z.infer<typeof ServiceDsl>;
