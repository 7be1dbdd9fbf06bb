import type { installation } from '#contract/platform/installation.ts';
import { getInstallation } from '#core/platform/installation/get.ts';
import type { Handlers } from '../../http/handlers.ts';

export const installationRoutes: Handlers<typeof installation> = { get: (ctx) => getInstallation(ctx) };
