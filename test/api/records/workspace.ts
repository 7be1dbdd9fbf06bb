// Files, and grants on them.
import { Readable } from 'node:stream';
import { newId } from '#core/kernel/ids.ts';
import { inTx } from '#core/kernel/tx.ts';
import { storeBlob } from '#core/workspace/blob/store.ts';
import { bucketOf } from '#core/workspace/grant/bucket.ts';
import { mintGrant } from '#core/workspace/grant/mint.ts';
import type { AreaRecords, Owner } from './area.ts';
import { runRow } from './run-row.ts';

export interface WorkspaceRecords extends AreaRecords {
  /** A grant of theirs to read, as the header carries it. */
  grant: string;
}

export async function workspaceRecords(owner: Owner): Promise<WorkspaceRecords> {
  const path = await addArtifact(owner);
  await addFile(owner, 'shelf/report.txt');
  const paths = { moved: 'drafts/moved.txt', removed: 'drafts/removed.txt', granted: 'drafts/granted.txt' };
  for (const each of Object.values(paths)) await addFile(owner, each);
  const headers = { 'svc-grant': await grantFor(owner, 'read_write_overlay') };
  const params = {
    path,
    upload_id: await addUpload(owner),
    'fileUploads.cancel.upload_id': await addUpload(owner),
    'agents.run.run_id': path.split('/')[0] ?? '',
    'files.remove.path': paths.removed,
    'workspaceGrants.remove.path': paths.granted,
  };
  const calls = {
    'files.upload': { body: upload() },
    'files.moveFolder': { body: { from: 'shelf/', to: 'rack/' } },
    'fileUploads.create': { headers: { 'upload-length': '3', 'upload-metadata': `path ${Buffer.from('drafts/other.bin').toString('base64')}` } },
    'fileUploads.append': { headers: { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' } },
    'files.move': { body: { from: paths.moved, to: 'done/moved.txt' } },
    'workspaceGrants.delegate': { body: { audience: owner.agent.name }, headers: { 'svc-grant': undefined } },
    'workspaceGrants.write': { headers },
    'workspaceGrants.remove': { headers },
  };
  return { params, calls, grant: await grantFor(owner, 'read_only') };
}

async function grantFor({ ctx, userId, agent }: Owner, mode: 'read_only' | 'read_write_overlay'): Promise<string> {
  const grant = { userId, audience: agent.name, allow: ['**'], deny: [], mode, outputsPrefix: null, ttlSeconds: 3600 };
  return (await inTx(ctx, (ctx) => mintGrant(ctx, grant))).token;
}

function upload(): FormData {
  const form = new FormData();
  form.set('file', new Blob(['a report']), 'uploaded.txt');
  return form;
}

async function addFile({ ctx, userId }: Owner, path: string): Promise<{ sha256: string; size_bytes: number }> {
  const { sha256, size_bytes } = await storeBlob(ctx, Readable.from([Buffer.from('a report')]), 100);
  const shared = { sha256, size_bytes, mime_type: 'text/plain' };
  await ctx.db('files').insert({ bucket: bucketOf(userId), path, owner_id: userId, file_type: 'text', ...shared });
  return { sha256, size_bytes };
}

async function addUpload({ ctx, userId }: Owner): Promise<string> {
  const upload_id = newId('upl');
  const now = ctx.clock();
  const times = { created_at: new Date(now), expires_at: new Date(now + 86_400_000) };
  await ctx
    .db('file_uploads')
    .insert({ upload_id, bucket: bucketOf(userId), path: 'drafts/large.bin', owner_id: userId, state: 'open', size_bytes: 3, ...times });
  return upload_id;
}

/** A file and an artifact of a run at one path: `<run_id>/<name>` is a path like any other. */
async function addArtifact(owner: Owner): Promise<string> {
  const { ctx, userId, agent } = owner;
  const run_id = newId('run');
  const path = `${run_id}/report.txt`;
  await ctx.db('runs').insert(runRow(owner, run_id));
  const content = { ...(await addFile(owner, path)), mime_type: 'text/plain' };
  await ctx.db('artifacts').insert({ artifact_id: newId('art'), run_id, agent_id: agent.id, user_id: userId, name: 'report.txt', ...content });
  return path;
}
