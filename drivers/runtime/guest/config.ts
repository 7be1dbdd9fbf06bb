// What the host hands the agent's process before any user code runs, and later to a clone. Shared by both sides.
import { z } from 'zod';

/** Where things are inside the guest. Services are unix sockets that the guest's first process bridges to the host. */
export const guestPaths = {
  node: '/usr/local/bin/node',
  bun: '/usr/local/bin/bun',
  entry: '/opt/svc/guest/agent.mjs',
  builder: '/opt/svc/guest/build.mjs',
  bundle: '/app/svc-agent.mjs',
  app: '/app',
  http: '/run/svc/http.sock',
  control: '/run/svc/agent.sock',
  events: '/run/svc/host/events.sock',
  egress: '/run/svc/host/egress.sock',
} as const;

/** The in-guest listener behind HTTP_PROXY. */
export const egressPort = 3128;

export const Identity = z.object({
  env: z.record(z.string(), z.string()),
  secrets: z.record(z.string(), z.string()),
  api_key: z.string(),
});
export type Identity = z.infer<typeof Identity>;

export const AgentConfig = Identity.extend({
  bundle: z.string(),
  app: z.string(),
  http: z.string(),
  control: z.string(),
  events: z.string(),
  egress: z.string(),
  egress_port: z.int(),
});
export type AgentConfig = z.infer<typeof AgentConfig>;

export const ControlRequest = z.discriminatedUnion('op', [
  z.object({ op: z.literal('configure'), identity: Identity }),
  z.object({ op: z.literal('shutdown') }),
]);
export const ControlReply = z.object({ ok: z.boolean(), message: z.string().optional() });
