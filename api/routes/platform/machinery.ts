import type { machinery } from '#contract/platform/machinery.ts';
import { readMachinery } from '#core/platform/installation/machinery.ts';
import type { Handlers } from '../../http/handlers.ts';

export const machineryRoutes: Handlers<typeof machinery> = { get: (ctx) => readMachinery(ctx) };
