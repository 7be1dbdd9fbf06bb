// The address of an artifact: with a token in it that opens this one artifact for a week, so that also a caller without an account can
// fetch what it was given. Bound to run, name and end; only the platform can make one.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { fromBase64Url, toBase64Url } from '../../../contract/wire/base64url.ts';
import type { Ctx } from '../../ctx.ts';

export const LINK_SECONDS = 7 * 24 * 3600;

export interface ArtifactPlace {
  run_id: string;
  name: string;
}

export function artifactUri(ctx: Ctx, agentName: string, { run_id, name }: ArtifactPlace): string {
  const path = `/v1/agents/${encodeURIComponent(agentName)}/api/files/${encodeURIComponent(run_id)}/${encodeURIComponent(name)}`;
  return `${ctx.config.baseUrl}${path}?token=${linkToken(ctx, { run_id, name }, Math.floor(ctx.clock() / 1000) + LINK_SECONDS)}`;
}

/** `expired` only for a token that was ours. */
export function checkLink(ctx: Ctx, place: ArtifactPlace, token: string): 'ok' | 'expired' | 'forged' {
  const [end = '', given = '', ...rest] = token.split('.');
  const mac = fromBase64Url(given);
  if (rest.length > 0 || !/^[1-9]\d{0,11}$/.test(end) || mac === undefined) return 'forged';
  const due = macOf(ctx, place, end);
  if (mac.length !== due.length || !timingSafeEqual(mac, due)) return 'forged';
  return Number(end) * 1000 > ctx.clock() ? 'ok' : 'expired';
}

function linkToken(ctx: Ctx, place: ArtifactPlace, end: number): string {
  return `${end}.${toBase64Url(macOf(ctx, place, String(end)))}`;
}

// Neither part can hold a line break, so no two places read the same.
function macOf(ctx: Ctx, { run_id, name }: ArtifactPlace, end: string): Uint8Array {
  return createHmac('sha256', ctx.drivers.vault.derive('artifact-links')).update(`artifact\n${run_id}\n${name}\n${end}`).digest();
}
