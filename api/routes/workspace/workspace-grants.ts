import type { workspaceGrants } from '#contract/workspace/workspace-grants.ts';
import { delegateGrant } from '#core/workspace/grant/delegate.ts';
import { approvedWrite } from '#core/pauses/scope/approve-writes.ts';
import { deleteGranted, writeGranted } from '#core/workspace/patch/stage.ts';
import { listGranted, readGranted, statGranted } from '#core/workspace/patch/view.ts';
import { fileAnswer } from '../../http/file-answer.ts';
import type { Handlers } from '../../http/handlers.ts';

export const workspaceGrantRoutes: Handlers<typeof workspaceGrants> = {
  delegate: async (ctx, { body, headers }) => {
    const { grant, token } = await delegateGrant(ctx, { ...body, parentToken: headers['svc-grant'] });
    return { grant, token };
  },
  list: (ctx, { query, headers }) => listGranted(ctx, { ...query, token: headers['svc-grant'] }),
  read: async (ctx, { params, headers }, http) => fileAnswer(http, await readGranted(ctx, { ...params, token: headers['svc-grant'] })),
  stat: async (ctx, { params, headers }, http) => fileAnswer(http, await statGranted(ctx, { ...params, token: headers['svc-grant'] }), { head: true }),
  write: (ctx, { params, headers, body }, http) => {
    const { 'svc-grant': token, ...conditions } = headers;
    const write = { ...params, token, conditions, body, mime: http.header('content-type') };
    return approvedWrite(ctx, write, () => writeGranted(ctx, write));
  },
  remove: (ctx, { params, headers }) => {
    const { 'svc-grant': token, ...conditions } = headers;
    const removal = { ...params, token, conditions };
    return approvedWrite(ctx, removal, () => deleteGranted(ctx, removal));
  },
};
