// A search of all resources at once (RFC 7644 §3.4.3): users first, then groups.
import type { ScimListing } from '#contract/orgs/scim.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { listScimGroups } from './group/read.ts';
import { type ListAnswer, listAnswer } from './list.ts';
import { listScimUsers } from './user/read.ts';

/**
 * Of a type that has not the attributes of the filter nothing is found. @throws BadRequest
 * scim_filter_invalid, scim_path_invalid where no type has them
 */
export async function searchScim(ctx: Ctx, i: ScimListing): Promise<ListAnswer> {
  const startIndex = Math.max(1, i.startIndex);
  const users = await orRefusal(() => listScimUsers(ctx, i));
  const before = users instanceof BadRequest ? 0 : users.totalResults;
  const taken = users instanceof BadRequest ? 0 : users.itemsPerPage;
  const groups = await orRefusal(() => listScimGroups(ctx, { ...i, startIndex: Math.max(1, startIndex - before), count: i.count - taken }));
  if (groups instanceof BadRequest) {
    if (users instanceof BadRequest) throw users;
    return users;
  }
  const userResources = users instanceof BadRequest ? [] : users.Resources;
  return listAnswer({ total: before + groups.totalResults, startIndex }, [...userResources, ...groups.Resources]);
}

async function orRefusal(list: () => Promise<ListAnswer>): Promise<ListAnswer | BadRequest> {
  try {
    return await list();
  } catch (error) {
    if (error instanceof BadRequest) return error;
    throw error;
  }
}
