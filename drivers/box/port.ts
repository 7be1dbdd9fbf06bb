// The dev boxes' port: one machine per owner and agent, whose files stay when it is gone. Default driver:
// this machine's host process.
import type { AgentAddress } from '../agent-http/address.ts';
import { z } from 'zod';
import { BOX_STATES } from '#contract/states.ts';
import { SandboxId } from '../sandbox/wire.ts';

export const BoxOpen = z.object({
  /** Unique on the platform; opening is idempotent by it. */
  box_id: SandboxId,
  /**
   * Private key by which the box proves itself to SSH clients, as OpenSSH writes one. Stored only in the
   * guest.
   */
  host_key: z.string().max(4_096),
  /** False: answer at once, and start or wake it meanwhile. */
  wait: z.boolean().default(true),
});
export type BoxOpen = z.input<typeof BoxOpen>;

export const BoxStatus = z.object({
  box_id: z.string(),
  state: z.enum(BOX_STATES),
  /** Why it could not be started the last time. */
  fault: z.string().optional(),
  /** False: it never had its repository. */
  seeded: z.boolean(),
  /** Open connections to its sshd. */
  connections: z.number(),
  /** Milliseconds since the epoch. */
  last_used_at: z.number(),
});
export type BoxStatus = z.infer<typeof BoxStatus>;

/** First line of a connection to the service `ssh`: the one key that this connection accepts. */
export const BoxGreeting = z.object({ session: z.string().regex(/^[a-z0-9_]{1,64}$/), key: z.string().max(1_024) });
export type BoxGreeting = z.infer<typeof BoxGreeting>;

/** ssh: one sshd for each connection. web: what `svc dev` serves in the box. */
type BoxService = 'ssh' | 'web';

export interface BoxRuntime {
  /** Makes, starts or wakes it. Rejects with SandboxError: no_capacity, image_failed … */
  open(input: BoxOpen): Promise<BoxStatus>;
  list(): Promise<BoxStatus[]>;
  /**
   * Puts a repository, as `git bundle` writes it, into a box that has none; the folder has the agent's name.
   */
  seed(boxId: string, name: string, bundle: AsyncIterable<Uint8Array>): Promise<void>;
  /** Writes its memory to disk and frees it; the next connection wakes it. Idempotent. */
  sleep(boxId: string): Promise<void>;
  /** Ends its machine; its files stay. Idempotent. */
  stop(boxId: string): Promise<void>;
  /** Ends its machine and deletes its files. Idempotent. */
  remove(boxId: string): Promise<void>;
  /** Where connections are taken; the first bytes wake a box that sleeps. */
  address(boxId: string, service: BoxService): AgentAddress;
}
