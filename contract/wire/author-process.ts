// What the command line tool and the process that holds an author's code say to each other, over the IPC
// channel of node.
import { z } from 'zod';
import { AgentCard } from './card.ts';
import { AgentDsl } from './dsl.ts';
import { Frontend } from './manifest.ts';

/** What was built of a packed frontend; `dist` is absolute. */
const Packed = Frontend.pick({ dist: true, mount: true, auth: true, mode: true });

export const Job = z.discriminatedUnion('do', [
  z.object({ do: z.literal('card'), file: z.string(), className: z.string() }),
  /**
   * The tool holds the port and hands its connections over one by one, so that a newer process can take its
   * place.
   */
  z.object({
    do: z.literal('serve'),
    file: z.string(),
    className: z.string(),
    /** As callers reach the agent. */
    url: z.string(),
    /** Folder that stands for the caller's workspace; absent: an empty one in memory. */
    workspace: z.string().optional(),
    frontend: Packed.optional(),
    /** Variables with the models that svc.yaml names. */
    models: z.record(z.string(), z.string()).optional(),
    /** Traces whole. */
    verbose: z.boolean().optional(),
  }),
  /** The same for handlers in another language: the process is the sidecar, and starts their worker. */
  z.object({
    do: z.literal('serve_worker'),
    dsl: AgentDsl,
    command: z.string(),
    args: z.array(z.string()),
    /** The worker can be started ahead of the next change; what it has loaded by then is of this. */
    spare: z.string().optional(),
    /** It loads changed code itself while this stays the same: what is installed for it. */
    packages: z.string().optional(),
    url: z.string(),
    workspace: z.string().optional(),
    frontend: Packed.optional(),
    /** Variables with the models that svc.yaml names. */
    models: z.record(z.string(), z.string()).optional(),
    /** Traces whole. */
    verbose: z.boolean().optional(),
  }),
  /**
   * The worker that serves loads the project as it is now, if it can and would be started by this very
   * command.
   */
  z.object({
    do: z.literal('reload_worker'),
    command: z.string(),
    args: z.array(z.string()),
    spare: z.string().optional(),
    packages: z.string().optional(),
    url: z.string(),
    workspace: z.string().optional(),
    frontend: Packed.optional(),
    /** Variables with the models that svc.yaml names. */
    models: z.record(z.string(), z.string()).optional(),
    /** Traces whole. */
    verbose: z.boolean().optional(),
  }),
]);
export type Job = z.infer<typeof Job>;

/** Comes with a socket. */
export const Connection = z.object({ do: z.literal('connection') });
/** No more connections: finish what runs, then end. */
export const Retire = z.object({ do: z.literal('retire') });

/** What the person at the terminal said. */
export const TerminalAnswer = z.object({ do: z.literal('answer'), question_id: z.string(), answer: z.string() });

/** Where and what; `line` and `column` count from 1. */
export const Problem = z.object({
  file: z.string().optional(),
  line: z.int().optional(),
  column: z.int().optional(),
  message: z.string(),
  /** It is the entrypoint that is to be corrected. */
  of: z.literal('entrypoint').optional(),
});
export type Problem = z.infer<typeof Problem>;

export const Report = z.discriminatedUnion('is', [
  z.object({ is: z.literal('card'), card: AgentCard }),
  z.object({ is: z.literal('serving'), card: AgentCard }),
  /** Another worker is to be started: the one that serves cannot take the project up. */
  z.object({ is: z.literal('not_reloadable') }),
  z.object({ is: z.literal('failed'), problems: z.array(Problem) }),
]);
/** A skill asks while it runs. */
export const TerminalQuestion = z.object({ is: z.literal('asked'), question_id: z.string(), skill: z.string(), prompt: z.string() });
export type TerminalQuestion = z.infer<typeof TerminalQuestion>;
export type Report = z.infer<typeof Report>;
