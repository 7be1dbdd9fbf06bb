// Records as they are kept: in what the agent shares, so that its owner has them all. The key begins with who
// submitted, so that each caller finds their own.
import { createHash, randomUUID } from 'node:crypto';
import { type MemoryEntry, type RunContext, SkillInputError, z } from '@svc/sdk';

const RECORDS = 'records';
/** Values that no two records may share, each with the key of its record. */
const TAKEN = 'taken';
/** Of one caller who is known. */
const MOST_OF_ONE = 100;
/** Of all callers who are not signed in: nothing tells one from another. */
const MOST_ANONYMOUS = 1_000;
const MAX_ANONYMOUS_BYTES = 20 * 1024;
const ANONYMOUS = 'anonymous';
/** How many of theirs there are. */
const COUNTS = 'counts';
const [MOST_TRIES, COUNT_AGAIN_MS] = [20, 60_000];

const Values = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
const Kept = z.object({ values: Values, by: z.string().nullable() });
const Claim = z.object({ record: z.string() });
const Count = z.object({ day: z.string(), today: z.int(), kept: z.int(), counted_at: z.number() });
type Count = z.infer<typeof Count>;

export const Record = z.object({
  id: z.string(),
  created_at: z.string(),
  by: z.string().nullable().describe('Who submitted it; null: somebody who was not signed in.'),
  values: Values,
});
export type Record = z.infer<typeof Record>;
export type Page = { records: Record[]; next_cursor: string | null };

export interface Bounds {
  /** The value that no two records may share; null: there is no such field. */
  unique: string | null;
  anonymousPerDay: number;
}

/** Undefined: a record has the unique value already. @throws SkillInputError where the caller has no room */
export async function keep(ctx: RunContext, values: Record['values'], { unique, anonymousPerDay }: Bounds): Promise<Record | undefined> {
  const folder = ctx.caller === null ? `${ANONYMOUS}/${new Date().toISOString().slice(0, 10)}` : hashOf(ctx.caller.sub);
  if (ctx.caller === null) {
    // It takes no place.
    if (await isTaken(ctx, unique)) return undefined;
    await takeAnonymousPlace(ctx, values, folder, anonymousPerDay);
  } else await requireRoom(ctx, folder);
  const key = `${folder}/${randomUUID()}`;
  if (unique !== null && !(await claim(ctx, unique, key))) return undefined;
  const kept = await ctx.sharedMemory.put(key, { values, by: ctx.caller?.email ?? ctx.caller?.sub ?? null }, { namespace: RECORDS, ifVersion: 0 });
  return kept && recordOf(kept);
}

export async function isTaken(ctx: RunContext, unique: string | null): Promise<boolean> {
  return unique !== null && (await claimed(ctx, unique)) !== undefined;
}

/**
 * The caller's own. @throws SkillInputError for callers who are not signed in: nothing says which records are
 * theirs
 */
export async function own(ctx: RunContext, query: string, limit: number): Promise<Record[]> {
  if (ctx.caller === null) throw new SkillInputError('Sign in to find your records: only the owner sees those of callers who are not signed in.');
  const { items } = await ctx.sharedMemory.list({ namespace: RECORDS, prefix: `${hashOf(ctx.caller.sub)}/`, limit: MOST_OF_ONE });
  return items.map(recordOf).filter(holds(query)).sort(newestFirst).slice(0, limit);
}

/** Whether a record has every word of the query, in its values or in who submitted it. */
function holds(query: string): (record: Record) => boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return ({ values, by }) => {
    const text = `${JSON.stringify(values)} ${by ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
}

/** Everybody's, by who submitted. */
export async function all(ctx: RunContext, { query, limit, cursor }: { query: string; limit: number; cursor: string | null }): Promise<Page> {
  if (query.trim() !== '') {
    // The memory searches keys, too, and these are random letters and digits.
    const found = await ctx.sharedMemory.search(query, { namespace: RECORDS, limit });
    return { records: found.map(recordOf).filter(holds(query)), next_cursor: null };
  }
  const { items, nextCursor } = await ctx.sharedMemory.list({ namespace: RECORDS, limit, cursor });
  return { records: items.map(recordOf), next_cursor: nextCursor };
}

/** So that one caller cannot use up the place of all. */
async function requireRoom(ctx: RunContext, folder: string): Promise<void> {
  const { items, nextCursor } = await ctx.sharedMemory.list({ namespace: RECORDS, prefix: `${folder}/`, limit: MOST_OF_ONE });
  if (items.length >= MOST_OF_ONE || nextCursor !== null)
    throw new SkillInputError(`You have as many records as one caller may have: ask the owner to delete some.`);
}

/**
 * So that strangers cannot fill the records with junk. What is kept is counted in an entry of its own: one
 * look, however many there are.
 */
async function takeAnonymousPlace(ctx: RunContext, values: Record['values'], today: string, perDay: number): Promise<void> {
  if (perDay === 0) throw new SkillInputError('Sign in to submit this form.');
  if (Buffer.byteLength(JSON.stringify(values)) > MAX_ANONYMOUS_BYTES)
    throw new SkillInputError(`A form of a caller who is not signed in has at most ${MAX_ANONYMOUS_BYTES} bytes: write less, or sign in.`);
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const before = await ctx.sharedMemory.get(ANONYMOUS, { namespace: COUNTS });
    const count = await countOf(ctx, before, today);
    const full = count.today >= perDay || count.kept >= MOST_ANONYMOUS;
    const next = full ? count : { ...count, today: count.today + 1, kept: count.kept + 1 };
    // Another one came first: count again.
    if (!(await ctx.sharedMemory.put(ANONYMOUS, next, { namespace: COUNTS, ifVersion: before?.version ?? 0 }))) continue;
    if (!full) return;
    refuse(ctx, count.today >= perDay ? perDay : undefined);
  }
  throw new SkillInputError('Many submit this form at the moment: try again.');
}

function refuse(ctx: RunContext, perDay: number | undefined): never {
  ctx.log.warn('a form of a caller who is not signed in was refused', {
    why: perDay === undefined ? `${MOST_ANONYMOUS} are kept: delete some` : `${perDay} were kept today`,
  });
  throw new SkillInputError(
    perDay === undefined
      ? `There are ${MOST_ANONYMOUS} records from callers who are not signed in, which is the most: sign in, or ask the owner to delete some.`
      : `Today's ${perDay} forms from callers who are not signed in have been used: sign in, or submit it tomorrow (after midnight UTC).`,
  );
}

/**
 * The owner may have deleted some: where there is no room by the count, the records themselves are counted,
 * now and then.
 */
async function countOf(ctx: RunContext, before: MemoryEntry | undefined, today: string): Promise<Count> {
  const known = before && Count.parse(before.value);
  const now = Date.now();
  if (!known || (known.kept >= MOST_ANONYMOUS && now - known.counted_at > COUNT_AGAIN_MS))
    return { day: today, today: await countIn(ctx, `${today}/`), kept: await countIn(ctx, `${ANONYMOUS}/`), counted_at: now };
  return known.day === today ? known : { ...known, day: today, today: 0 };
}

async function countIn(ctx: RunContext, prefix: string): Promise<number> {
  let count = 0;
  for (let cursor: string | null = null; ;) {
    const page: { items: readonly MemoryEntry[]; nextCursor: string | null } = await ctx.sharedMemory.list({ namespace: RECORDS, prefix, limit: 200, cursor });
    count += page.items.length;
    if (count >= MOST_ANONYMOUS || page.nextCursor === null) return count;
    cursor = page.nextCursor;
  }
}

/**
 * The condition makes one of two that come at the same time fail. A claim whose record was never kept is
 * taken over.
 */
async function claim(ctx: RunContext, value: string, record: string): Promise<boolean> {
  const key = hashOf(value);
  if (await ctx.sharedMemory.put(key, { record }, { namespace: TAKEN, ifVersion: 0 })) return true;
  const before = await ctx.sharedMemory.get(key, { namespace: TAKEN });
  if (!before || (await ctx.sharedMemory.get(Claim.parse(before.value).record, { namespace: RECORDS }))) return false;
  return (await ctx.sharedMemory.put(key, { record }, { namespace: TAKEN, ifVersion: before.version })) !== undefined;
}

async function claimed(ctx: RunContext, value: string): Promise<MemoryEntry | undefined> {
  const before = await ctx.sharedMemory.get(hashOf(value), { namespace: TAKEN });
  return before && (await ctx.sharedMemory.get(Claim.parse(before.value).record, { namespace: RECORDS }));
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

function recordOf({ key, value, createdAt }: MemoryEntry): Record {
  const { values, by } = Kept.parse(value);
  return { id: key, created_at: createdAt, by, values };
}

function newestFirst(one: Record, other: Record): number {
  return other.created_at.localeCompare(one.created_at);
}
