// What one build may take, by the plan its tenant is on: the operator's settings (SVC_BUILD_PLANS).
import { z } from 'zod';
import type { BuildSettings } from '../options.ts';

const BuildLimits = z.strictObject({
  /** From the machine's start to the layer. Workflows give a build an hour. */
  minutes: z.number().positive().max(55).default(15),
  /** Of the layer: the project, its dependencies, its frontend. */
  image_mib: z.int().positive().default(2_048),
  /** Of everything that is written while it is built. */
  disk_mib: z.int().positive().default(8_192),
  /** Tenants on this plan: ids of users. All others are on `default`. */
  tenants: z.array(z.string().min(1)).default([]),
});
type BuildLimits = z.infer<typeof BuildLimits>;

/**
 * JSON: `{"default": {"minutes": 15, "image_mib": 2048, "disk_mib": 8192}, "large": {"image_mib": 8192,
 * "tenants": ["usr_…"]}}`; these are the defaults.
 */
export const BuildPlans = z
  .record(z.string().regex(/^[a-z][a-z0-9-]*$/), BuildLimits)
  .transform(({ default: usual = BuildLimits.parse({}), ...others }) => ({ ...others, default: usual }));
export type BuildPlans = Record<string, BuildLimits> & { default: BuildLimits };

export interface TenantLimits {
  plan: string;
  limits: BuildLimits;
}

export function limitsOf({ plans }: Pick<BuildSettings, 'plans'>, tenant: string): TenantLimits {
  const [plan, limits] = Object.entries(plans).find(([, { tenants }]) => tenants.includes(tenant)) ?? ['default', plans.default];
  return { plan, limits };
}

/** The size every build machine is made with. */
export const largestDiskMib = ({ plans }: Pick<BuildSettings, 'plans'>): number => Math.max(...Object.values(plans).map(({ disk_mib }) => disk_mib));

/** The end of every message about a limit. */
export const remedy = (plan: string): string =>
  `That is the limit of the plan "${plan}". Leave large files out of the project or drop heavy dependencies, or ask the operator for a larger plan (SVC_BUILD_PLANS of the runtime host).`;
