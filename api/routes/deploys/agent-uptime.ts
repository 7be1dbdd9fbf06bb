import type { agentUptime as group } from '#contract/deploys/agent-uptime.ts';
import { agentUptime } from '#core/deploys/uptime/read.ts';
import type { Handlers } from '../../http/handlers.ts';

export const agentUptimeRoutes: Handlers<typeof group> = { uptime: (ctx, { params }) => agentUptime(ctx, params) };
