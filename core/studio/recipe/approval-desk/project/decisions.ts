// Decisions as they are kept: in what the agent shares, so that its owner has them all. The key begins with
// who asked, so that each requester finds their own.
import { createHash } from 'node:crypto';
import { type MemoryEntry, type RunContext, SkillInputError, SkillInvocationError, z } from '@svc/sdk';
import { Decision, fingerprintOf, type Request } from './decision.ts';

const DECISIONS = 'decisions';

const Kept = Decision.extend({ requester: z.string().nullable() });
export const Listed = Kept.omit({ fingerprint: true });
export type Listed = z.infer<typeof Listed>;
export type Page = { decisions: Listed[]; next_cursor: string | null };

/**
 * What was decided of this request before. @throws SkillInputError where the requester's reference stands for
 * another request
 */
export async function before(ctx: RunContext, request: Request): Promise<Decision | undefined> {
  const entry = await ctx.sharedMemory.get(keyOf(ctx, request), { namespace: DECISIONS });
  if (!entry) return undefined;
  const kept = Decision.parse(entry.value);
  if (kept.fingerprint === fingerprintOf(request)) return kept;
  throw new SkillInputError(`"${request.reference}" stands for another request ("${kept.title}"), which was ${kept.decision}: use another reference.`, [
    { path: ['reference'], code: 'taken', message: 'stands for another request' },
  ]);
}

/** The first decision counts: false where one was kept meanwhile. */
export async function keep(ctx: RunContext, request: Request, decision: Decision): Promise<boolean> {
  const requester = ctx.caller?.email ?? ctx.caller?.sub ?? null;
  return (await ctx.sharedMemory.put(keyOf(ctx, request), { ...decision, requester }, { namespace: DECISIONS, ifVersion: 0 })) !== undefined;
}

/**
 * The caller's own. @throws SkillInputError for callers who are not signed in: nothing says which requests
 * are theirs
 */
export async function own(ctx: RunContext, reference: string): Promise<Decision | null> {
  const entry = await ctx.sharedMemory.get(`${ownFolder(ctx)}/${reference}`, { namespace: DECISIONS });
  return entry ? Decision.parse(entry.value) : null;
}

/** @throws SkillInputError as own */
export async function listOwn(ctx: RunContext, prefix: string, limit: number): Promise<Decision[]> {
  const { items } = await ctx.sharedMemory.list({ namespace: DECISIONS, prefix: `${ownFolder(ctx)}/${prefix}`, limit });
  return items.map(({ value }) => Decision.parse(value));
}

/** Everybody's, by who asked. */
export async function all(ctx: RunContext, { query, limit, cursor }: { query: string; limit: number; cursor: string | null }): Promise<Page> {
  if (query.trim() !== '') return { decisions: (await ctx.sharedMemory.search(query, { namespace: DECISIONS, limit })).map(listed), next_cursor: null };
  const { items, nextCursor } = await ctx.sharedMemory.list({ namespace: DECISIONS, limit, cursor });
  return { decisions: items.map(listed), next_cursor: nextCursor };
}

/**
 * Who is not signed in has no references of their own: only the very same request finds its decision again.
 */
function keyOf(ctx: RunContext, request: Request): string {
  return ctx.caller === null ? `anonymous/${request.reference}.${fingerprintOf(request)}` : `${ownFolder(ctx)}/${request.reference}`;
}

function ownFolder({ caller }: RunContext): string {
  if (caller === null)
    throw new SkillInputError('Sign in to look up decisions. Without an account, send the same request to decide again: it gives the same decision.');
  return createHash('sha256').update(caller.sub).digest('hex').slice(0, 32);
}

function listed({ value }: MemoryEntry): Listed {
  // What the model does not name is left out.
  return Listed.parse(value);
}

/** Where the decision of another run cannot be read either. */
export function notKept(): SkillInvocationError {
  return new SkillInvocationError('The decision could not be kept: ask again.');
}
