// How long a deployment may take: as the self-healing policy of its svc.yaml says. A deployment that hangs
// would hold up every repair after it.
import { SelfHealing } from '#contract/wire/manifest.ts';

/** What its workflow starts with. `manifest`: as it is stored. */
export function deployIn(deployId: string, manifest: unknown): { deploy_id: string; timeout_seconds?: number } {
  const policy = SelfHealing.safeParse(typeof manifest === 'object' && manifest !== null && 'self_healing' in manifest ? manifest.self_healing : undefined);
  return { deploy_id: deployId, ...(policy.data?.enabled === true && { timeout_seconds: policy.data.deployment_timeout_seconds }) };
}
