import type { doctor } from '#contract/platform/doctor.ts';
import { readDoctor } from '#core/platform/doctor/examine.ts';
import type { Handlers } from '../../http/handlers.ts';

export const doctorRoutes: Handlers<typeof doctor> = { get: (ctx) => readDoctor(ctx) };
