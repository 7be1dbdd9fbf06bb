// The address of an artifact: with a token in it that opens this one artifact for a week, so that also a
// caller without an account can fetch what it was given. Bound to run, name and end; only the platform can
// make one.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { pathTo } from '#contract/path-to.ts';
import { fromBase64Url, toBase64Url } from '#contract/wire/base64url.ts';
import type { Ctx } from '../../kernel/ctx.ts';

export const LINK_SECONDS = 7 * 24 * 3600;

export interface ArtifactPlace {
  run_id: string;
  name: string;
}

export async function artifactUri(ctx: Ctx, agentName: string, { run_id, name }: ArtifactPlace): Promise<string> {
  const path = pathTo('GET /v1/agents/{name}/api/files/{path:path}', { name: agentName, path: `${run_id}/${name}` });
  return `${ctx.config.baseUrl}${path}?token=${await linkToken(ctx, { run_id, name }, Math.floor(ctx.clock() / 1000) + LINK_SECONDS)}`;
}

/** `expired` only for a token that was ours. */
export async function checkLink(ctx: Ctx, place: ArtifactPlace, token: string): Promise<'ok' | 'expired' | 'forged'> {
  const [end = '', given = '', ...rest] = token.split('.');
  const mac = fromBase64Url(given);
  if (rest.length > 0 || !/^[1-9]\d{0,11}$/.test(end) || mac === undefined) return 'forged';
  const due = await macOf(ctx, place, end);
  if (mac.length !== due.length || !timingSafeEqual(mac, due)) return 'forged';
  return Number(end) * 1000 > ctx.clock() ? 'ok' : 'expired';
}

async function linkToken(ctx: Ctx, place: ArtifactPlace, end: number): Promise<string> {
  return `${end}.${toBase64Url(await macOf(ctx, place, String(end)))}`;
}

// Neither part can hold a line break, so no two places read the same.
async function macOf(ctx: Ctx, { run_id, name }: ArtifactPlace, end: string): Promise<Uint8Array> {
  return createHmac('sha256', await ctx.drivers.vault.derive('artifact-links'))
    .update(`artifact\n${run_id}\n${name}\n${end}`)
    .digest();
}
