// What client and host say about sandboxes over the host's socket: JSON, and files as records of {path
// length, size, path, bytes}.
import { isIP } from 'node:net';
import { z } from 'zod';
import { type SandboxErrorCode, type SandboxFile } from './port.ts';
import { SANDBOX_STATES } from '#contract/states.ts';

export const SandboxId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'letters, digits, - and _, at most 64');

const hostName = z
  .string()
  .max(253)
  .regex(/^(\*\.)?[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_-]{1,63})+$/i, 'a host name like api.example.com or *.example.com')
  .refine((name) => isIP(name) === 0, 'a host name, not an address');

export const CreateBody = z.strictObject({
  sandbox_id: SandboxId,
  image: z.string().min(1).max(255),
  memory_mib: z.int().min(64).max(65_536),
  cpus: z.int().min(1).max(64),
  egress: z.array(hostName).max(100),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a variable is letters, digits and _'), z.string()),
  idle_ms: z.int().min(1_000).max(86_400_000),
});
export type CreateBody = z.infer<typeof CreateBody>;

export const ExecBody = z.strictObject({
  command: z.string().min(1).max(4_096),
  args: z.array(z.string()).max(900),
  cwd: z.string().max(1_024).optional(),
  /** base64 */
  stdin: z.base64().optional(),
  timeout_ms: z.int().min(1).max(86_400_000),
});

export const ExecResult = z.object({ stdout: z.string(), stderr: z.string(), exit_code: z.int(), truncated: z.boolean(), timed_out: z.boolean() });

export const Status = z.object({
  sandbox_id: z.string(),
  image: z.string(),
  state: z.enum(SANDBOX_STATES),
  memory_mib: z.number(),
  cpus: z.number(),
  created_at: z.number(),
  last_used_at: z.number(),
});

const codes = ['image_unknown', 'image_failed', 'no_capacity', 'not_found', 'stopped', 'bad_request', 'host_unreachable', 'internal'] as const satisfies readonly SandboxErrorCode[]; // prettier-ignore
export const ErrorBody = z.object({ code: z.enum(codes), message: z.string() });

export const LogsQuery = z.object({ tail: z.coerce.number().int().min(1).max(10_000) });
export const ChangesQuery = z.object({ max_bytes: z.coerce.number().int().min(0).max(1_073_741_824) });

/** Size of a file that is gone. */
export const GONE = 0xffff_ffff;
export const MAX_PATH = 1_024;

const visible = /^[^\p{Cc}]+$/u;

/** A relative path that names a file below the folder it is relative to, in its one spelling. */
export function isCleanPath(path: string): boolean {
  if (path === '' || Buffer.byteLength(path) > MAX_PATH || !visible.test(path) || !path.isWellFormed()) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

export function fileHead(path: string, size: number): Buffer {
  const name = Buffer.from(path);
  const head = Buffer.alloc(8);
  head.writeUInt32LE(name.length, 0);
  head.writeUInt32LE(size, 4);
  return Buffer.concat([head, name]);
}

export async function* fileRecords(files: AsyncIterable<SandboxFile> | undefined): AsyncGenerator<Uint8Array> {
  for await (const { path, content } of files ?? []) {
    yield fileHead(path, content.length);
    if (content.length > 0) yield content;
  }
}
