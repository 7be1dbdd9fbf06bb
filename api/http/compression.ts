// Answers of the API, compressed where packing.ts allows it.
import { isPackable, packed, packedHeaders, type Packing, packingFor, withVary } from './packing.ts';
import type { HttpContext, HttpMiddleware } from './state.ts';

/** Documents that are the same for everyone are kept, and packed once. */
const packedOnce = new WeakMap<Buffer, Map<Packing, Promise<Buffer>>>();

export function compression(): HttpMiddleware {
  return async (ctx, next) => {
    await next();
    const { body } = ctx;
    if (ctx.respond === false || ctx.headerSent || ctx.status !== 200 || ctx.method !== 'GET' || !isWhole(body)) return;
    if (!isPackable(ctx.response.headers, Buffer.byteLength(body))) return;
    ctx.set('vary', withVary(ctx.response.get('vary'), 'accept-encoding'));
    // Sign-in: its answers hold codes.
    const packing = ctx.state.forPeople === true ? undefined : packingFor(ctx.req.headers);
    if (packing === undefined) return;
    await send(ctx, body, packing);
  };
}

async function send(ctx: HttpContext, body: string | Buffer, packing: Packing): Promise<void> {
  const type = ctx.response.get('content-type');
  const bytes = await (typeof body === 'string' ? packed(body, packing) : once(body, packing));
  ctx.set(packedHeaders(packing, ctx.response.get('etag')));
  ctx.body = bytes;
  // Koa takes the length of the new body; the type stays.
  ctx.set('content-type', type);
}

function once(body: Buffer, packing: Packing): Promise<Buffer> {
  const known = packedOnce.get(body) ?? new Map<Packing, Promise<Buffer>>();
  packedOnce.set(body, known);
  const made = known.get(packing) ?? packed(body, packing);
  known.set(packing, made);
  return made;
}

function isWhole(body: unknown): body is string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body);
}
