// A bulk request (RFC 7644 §3.7). Each operation is a transaction of its own, like a single request; those
// that refer to each other in a circle are one transaction together, since none of them can be without the
// others.
import { together } from '../../../kernel/act.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { Conflict, MethodNotAllowed, NotFound, Unavailable } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { valueInvalid } from '../error.ts';
import { createScimGroup, deleteScimGroup, patchScimGroup, replaceScimGroup } from '../group/write.ts';
import { scimOrganization } from '../of.ts';
import type { Document } from '../schema/attribute.ts';
import type { Presented } from '../user/present.ts';
import { createScimUser, deleteScimUser, patchScimUser, replaceScimUser } from '../user/write.ts';
import { isCircle, type Unit, unitsOf } from './order.ts';
import { type BulkOperation, dataOf, readBulkRequest, segmentsOf, withIds } from './request.ts';

export interface BulkOutcome {
  operation: BulkOperation;
  /** Address of the resource; undefined where none was made, or none is named. */
  location: string | undefined;
  /** Absent after a DELETE, and where it failed. */
  etag?: string;
  /** Why it failed: what the request would have thrown. */
  error?: unknown;
}

interface Bulk {
  ctx: Ctx;
  base: string;
  /** By bulkId: what has been made, and what a circle is about to make. */
  ids: Map<string, string>;
  /** bulkIds of the operations of the request. */
  known: ReadonlySet<string>;
}

/**
 * Outcomes in the order of the request; where `failOnErrors` ended it, only of what was tried. What `signal`
 * cuts off fails with `unavailable`.
 * @throws BadRequest scim_syntax_invalid, scim_value_invalid; PayloadTooLarge body_too_large
 */
export async function bulkScim(ctx: Ctx, i: { body: Document; signal: AbortSignal }): Promise<BulkOutcome[]> {
  const { base } = scimOrganization(ctx, 'scim_user.update');
  const { operations, failOnErrors = Infinity } = readBulkRequest(i.body);
  const bulk: Bulk = { ctx, base, ids: new Map(), known: new Set(operations.flatMap(({ method, bulkId = '' }) => (method === 'POST' ? [bulkId] : []))) };
  const outcomes = new Map<BulkOperation, BulkOutcome>();
  let errors = 0;
  for (const unit of unitsOf(operations)) {
    if (errors >= failOnErrors) break;
    const done = i.signal.aborted ? unit.map((one) => failed(bulk, one, stopping())) : await performUnit(bulk, unit);
    for (const outcome of done) outcomes.set(outcome.operation, outcome);
    errors += done.filter((one) => one.error !== undefined).length;
  }
  return operations.flatMap((one) => outcomes.get(one) ?? []);
}

async function performUnit(bulk: Bulk, unit: Unit): Promise<BulkOutcome[]> {
  if (isCircle(unit)) return performCircle(bulk, unit);
  const outcomes: BulkOutcome[] = [];
  for (const one of unit) {
    try {
      outcomes.push(await perform(bulk, one));
    } catch (error) {
      outcomes.push(failed(bulk, one, error));
    }
  }
  return outcomes;
}

/** Their ids are settled first. Users before groups: a group takes no member that there is not. */
async function performCircle(bulk: Bulk, unit: Unit): Promise<BulkOutcome[]> {
  const { ctx, ids } = bulk;
  const isOfGroups = ({ path }: BulkOperation): boolean => segmentsOf(path)[0] === 'Groups';
  for (const one of unit) ids.set(one.bulkId ?? '', newId(isOfGroups(one) ? 'scg' : 'scu', ctx.clock()));
  const doing: BulkOperation[] = [];
  try {
    return await together(ctx, async (ctx) => {
      const outcomes: BulkOutcome[] = [];
      for (const one of unit.toSorted((a, b) => Number(isOfGroups(a)) - Number(isOfGroups(b)))) {
        doing.push(one);
        outcomes.push(await perform({ ...bulk, ctx }, one, ids.get(one.bulkId ?? '')));
      }
      return outcomes;
    });
  } catch (error) {
    for (const { bulkId = '' } of unit) ids.delete(bulkId);
    return unit.map((one) => failed(bulk, one, one === doing.at(-1) ? error : referenceFailed(doing.at(-1)?.bulkId)));
  }
}

async function perform(bulk: Bulk, operation: BulkOperation, id?: string): Promise<BulkOutcome> {
  const { ctx, base, ids } = bulk;
  checkReferences(bulk, operation);
  const [kind, resource, ...more] = segmentsOf(withPathIds(operation, ids));
  const write = more.length === 0 && (kind === 'Users' || kind === 'Groups') ? WRITES[kind] : undefined;
  if (!write)
    throw new NotFound('route_not_found', `There is nothing at ${operation.path.slice(0, 200)}: a path is /Users, /Groups, or one of them with an id`);
  const { method, bulkId } = operation;
  if ((method === 'POST') !== (resource === undefined))
    throw new MethodNotAllowed('method_not_allowed', method === 'POST' ? 'POST goes to /Users or /Groups' : `${method} goes to one resource: /${kind}/{id}`);
  const body = (): Document => withIds(dataOf(operation), ids);
  const conditions = operation.version === undefined ? {} : { 'if-match': operation.version };
  if (resource === undefined) {
    const { document, etag, location } = await write.create(ctx, { body: body(), ...(id !== undefined && { id }) });
    if (bulkId !== undefined) ids.set(bulkId, document.id);
    return { operation, location, etag };
  }
  if (method === 'DELETE') {
    await write.remove(ctx, { id: resource, conditions });
    return { operation, location: `${base}/${kind}/${resource}` };
  }
  const { etag, location } = await (method === 'PUT' ? write.replace : write.patch)(ctx, { id: resource, body: body(), conditions });
  return { operation, location, etag };
}

interface Change {
  id: string;
  body: Document;
  conditions: { 'if-match'?: string };
}
interface Writes {
  create(ctx: Ctx, i: { body: Document; id?: string }): Promise<Presented>;
  replace(ctx: Ctx, i: Change): Promise<Presented>;
  patch(ctx: Ctx, i: Change): Promise<Presented>;
  remove(ctx: Ctx, i: Omit<Change, 'body'>): Promise<void>;
}
/** Answers leave resources out, so that nothing of them is read. */
const BRIEF = { attributes: 'id' };
const WRITES: Record<'Users' | 'Groups', Writes> = {
  Users: {
    create: (ctx, i) => createScimUser(ctx, { ...i, ...BRIEF }),
    replace: (ctx, { id, ...i }) => replaceScimUser(ctx, { ...i, ...BRIEF, user_id: id }),
    patch: (ctx, { id, ...i }) => patchScimUser(ctx, { ...i, ...BRIEF, user_id: id }),
    remove: (ctx, { id, ...i }) => deleteScimUser(ctx, { ...i, user_id: id }),
  },
  Groups: {
    create: (ctx, i) => createScimGroup(ctx, { ...i, ...BRIEF }),
    replace: (ctx, { id, ...i }) => replaceScimGroup(ctx, { ...i, ...BRIEF, group_id: id }),
    patch: (ctx, { id, ...i }) => patchScimGroup(ctx, { ...i, ...BRIEF, group_id: id }),
    remove: (ctx, { id, ...i }) => deleteScimGroup(ctx, { ...i, group_id: id }),
  },
};

function withPathIds({ path }: BulkOperation, ids: ReadonlyMap<string, string>): string {
  return ['', ...withIds(segmentsOf(path), ids)].join('/');
}

function checkReferences({ ids, known }: Bulk, { refersTo }: BulkOperation): void {
  const missing = [...refersTo].find((id) => !ids.has(id));
  if (missing === undefined) return;
  if (!known.has(missing)) throw valueInvalid(`No POST of the request has the bulkId "${missing.slice(0, 100)}"`);
  throw referenceFailed(missing);
}

function referenceFailed(bulkId = ''): Conflict {
  return new Conflict(
    'scim_reference_failed',
    `The operation "${bulkId.slice(0, 100)}", which this one refers to, has failed: correct that one, then send both again`,
  );
}

function stopping(): Unavailable {
  return new Unavailable('unavailable', 'The server is stopping, and has not begun this operation: send it again');
}

/** Each but a POST says where its resource is, if it names one (RFC 7644 §3.7). */
function failed({ base, ids }: Bulk, operation: BulkOperation, error: unknown): BulkOutcome {
  return { operation, location: operation.method === 'POST' ? undefined : `${base}${withPathIds(operation, ids)}`, error };
}
