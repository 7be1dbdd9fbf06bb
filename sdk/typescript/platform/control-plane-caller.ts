// What the caller has at the platform, asked for with the credential that came with its request.
import { z } from 'zod';
import { pathTo } from '../../../contract/path-to.ts';
import { CallerArtifactOut, CallerFileOut, ContentOut } from '../../../contract/run/caller-resources.ts';
import { FileNotFound } from '../authoring/errors.ts';
import { ContentTooLarge, type CallerContent, type CallerIdentity, type CallerResources } from '../runtime/platform.ts';
import { remoteTasks } from './control-plane-tasks.ts';
import { platformJson, PlatformError, type PlatformRequest } from './run-client.ts';

const pageOf = <T>(item: z.ZodType<T>) => z.object({ items: z.array(item), next_cursor: z.string().nullable() });
// As loose as they may be: what a newer platform adds is not this SDK's business.
const Artifacts = pageOf(z.object(CallerArtifactOut.shape));
const Files = pageOf(z.object(CallerFileOut.shape));
const Content = z.object(ContentOut.shape);
const BYTES_TIMEOUT_SECONDS = 60;
const NOTHING = { items: [], next: null };

export function remoteCaller(base: string, { token, requestId, signal, grant }: CallerIdentity): CallerResources {
  const run = { token, requestId, signal };
  const json = <T>(request: Omit<PlatformRequest, 'method'>, model: z.ZodType<T>): Promise<T> => platformJson(base, run, { method: 'GET', ...request }, model);
  const read = async (request: Omit<PlatformRequest, 'method' | 'timeoutSeconds'>): Promise<CallerContent | undefined> => {
    if (token === undefined) return undefined;
    try {
      const { mime_type: mimeType, data } = await json({ ...request, timeoutSeconds: BYTES_TIMEOUT_SECONDS }, Content);
      return { mimeType, data: Buffer.from(data, 'base64') };
    } catch (error) {
      if (error instanceof FileNotFound) return undefined;
      // A name that is none, too, is one there is not.
      if (error instanceof PlatformError && [404, 410, 422].includes(error.platformStatus)) return undefined;
      if (error instanceof PlatformError && error.platformStatus === 413) throw new ContentTooLarge(error.message);
      throw error;
    }
  };
  return {
    artifacts: async ({ limit, cursor }) => {
      if (token === undefined) return NOTHING;
      const query = { limit: String(limit), ...(cursor !== null && { cursor }) };
      const { items, next_cursor: next } = await json({ path: pathTo('GET /run/v1/artifacts'), query, what: 'resources/list' }, Artifacts);
      return { items: items.map((one) => ({ runId: one.run_id, name: one.name, mimeType: one.mime_type, sizeBytes: one.size_bytes })), next };
    },
    artifact: (runId, name, link) =>
      read({
        path: pathTo('GET /run/v1/artifacts/{run_id}/{name}', { run_id: runId, name }),
        ...(link !== undefined && { query: { token: link } }),
        what: 'resources/read',
      }),
    files: async ({ limit, cursor }) => {
      if (token === undefined) return NOTHING;
      const query = { limit: String(limit), ...(cursor !== null && { cursor }) };
      const { items, next_cursor: next } = await json({ path: pathTo('GET /run/v1/workspaces/files'), query, grant, what: 'resources/list' }, Files);
      return { items: items.map((one) => ({ workspace: one.workspace, path: one.path, mimeType: one.mime_type, sizeBytes: one.size_bytes })), next };
    },
    tasks: (whose) => remoteTasks(base, run, whose),
    file: (workspace, path) =>
      read({ path: pathTo('GET /run/v1/workspaces/{workspace}/files/{path:path}', { workspace, path }), grant, what: 'resources/read' }),
  };
}
