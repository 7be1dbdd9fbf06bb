// Resources: what the agent's author declared, the artifacts of the caller's own runs, and the files the
// caller granted to this agent. The platform decides about the last two at each request.
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError, type Resource, type Server } from '@modelcontextprotocol/server';
import { textFromBase64Url } from '../../../../contract/wire/base64url.ts';
import { SvcError } from '../../authoring/errors.ts';
import { PlatformError } from '../../platform/run-client.ts';
import { ContentTooLarge, type CallerContent, type CallerResources, type RunPlatform } from '../platform.ts';
import { appContents } from './apps.ts';
import { artifactAddress, ARTIFACT_TEMPLATE, fileAddress, FILE_TEMPLATE, readAddress } from './addresses.ts';
import type { Caller } from './caller.ts';
import { contentsOf, type Contents } from './contents.ts';
import { refuseCursor, unknownCursor } from './cursor.ts';
import type { OwnResources } from './own-resources.ts';

const PAGE = 100;
/** What a template's name can be is guessed from so many. */
const COMPLETED_FROM = 1000;

const TEMPLATES = [
  { uriTemplate: ARTIFACT_TEMPLATE, name: 'artifact', description: 'A file that one of your runs of this agent made.' },
  { uriTemplate: FILE_TEMPLATE, name: 'workspace file', description: 'A file of a workspace that you granted to this agent.' },
];

/** Of one caller, during one request. */
export class Resources {
  readonly #own: OwnResources;
  readonly #caller: Caller;
  readonly #platform: CallerResources;

  constructor(own: OwnResources, agent: string, platform: RunPlatform, caller: Caller) {
    const { requestId, owner, origin, gone } = caller;
    const identity = { agent, requestId, owner: owner.shared ? undefined : owner.key, token: origin.runToken, grant: origin.grant?.token, signal: gone };
    this.#own = own;
    this.#caller = caller;
    this.#platform = platform.caller(identity);
  }

  serve(server: Server, ttlMs: number): void {
    // Files and grants may change at any time, so clients must not cache the lists.
    const fresh = { ttlMs: 0, cacheScope: 'private' as const };
    server.setRequestHandler('resources/list', async ({ params }) => ({ ...(await asProtocol(() => this.#list(params?.cursor))), ...fresh }));
    server.setRequestHandler('resources/templates/list', ({ params }) => {
      refuseCursor(params);
      return { resourceTemplates: [...this.#own.templates, ...TEMPLATES], ttlMs, cacheScope: 'private' as const };
    });
    server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
      const contents = await this.read(uri);
      if (!contents) throw new ResourceNotFoundError(uri, `There is no resource ${uri} that you can read; resources/list has those there are.`);
      return { contents: [contents], ...fresh };
    });
  }

  /** Undefined: there is none, or it is not this caller's. @throws ProtocolError */
  async read(uri: string): Promise<Contents | undefined> {
    const app = appContents(uri);
    if (app) return app;
    const content = await asProtocol(async () => (await this.#own.read(uri, { auth: this.#caller.auth })) ?? (await this.#held(uri)));
    return content && contentsOf(uri, content);
  }

  /** What the name of a template can be, as far as it is known. */
  async complete(template: string, name: string, begun: string): Promise<string[]> {
    const page = { limit: COMPLETED_FROM, cursor: null };
    const values = await asProtocol(async () => {
      if (template === ARTIFACT_TEMPLATE) return (await this.#platform.artifacts(page)).items.map((one) => (name === 'run' ? one.runId : one.name));
      if (template === FILE_TEMPLATE) return (await this.#platform.files(page)).items.map((one) => (name === 'workspace' ? one.workspace : one.path));
      return [];
    });
    return [...new Set(values)].filter((value) => value.startsWith(begun));
  }

  async #held(uri: string): Promise<CallerContent | undefined> {
    const address = readAddress(uri);
    if (address?.kind === 'artifact') return await this.#platform.artifact(address.runId, address.name, address.link);
    return address && (await this.#platform.file(address.workspace, address.path));
  }

  async #list(cursor: string | undefined): Promise<{ resources: Resource[]; nextCursor?: string }> {
    let at = cursor === undefined ? START : placeOf(cursor);
    for (;;) {
      const { resources, next } = await this.#part(at);
      if (!next) return { resources };
      if (resources.length > 0) return { resources, nextCursor: Buffer.from(JSON.stringify([next.part, next.cursor])).toString('base64url') };
      at = next;
    }
  }

  async #part({ part, cursor }: Place): Promise<{ resources: Resource[]; next: Place | undefined }> {
    if (part === 'own') return { resources: this.#own.list, next: { part: 'artifacts', cursor: null } };
    if (part === 'artifacts') {
      const { items, next } = await this.#platform.artifacts({ limit: PAGE, cursor });
      const resources = items.map(({ runId, name, mimeType, sizeBytes }) => ({ uri: artifactAddress(runId, name), name, mimeType, size: sizeBytes }));
      return { resources, next: next === null ? { part: 'files', cursor: null } : { part, cursor: next } };
    }
    const { items, next } = await this.#platform.files({ limit: PAGE, cursor });
    const resources = items.map(({ workspace, path, mimeType, sizeBytes }) => ({
      uri: fileAddress(workspace, path),
      name: path,
      mimeType,
      ...(sizeBytes !== undefined && { size: sizeBytes }),
    }));
    return { resources, next: next === null ? undefined : { part, cursor: next } };
  }
}

interface Place {
  part: 'own' | 'artifacts' | 'files';
  cursor: string | null;
}

const START: Place = { part: 'own', cursor: null };

/** @throws ProtocolError for what is no cursor of ours */
function placeOf(cursor: string): Place {
  try {
    const [part, inner]: unknown[] = JSON.parse(textFromBase64Url(cursor) ?? '');
    if ((part === 'artifacts' || part === 'files') && (inner === null || typeof inner === 'string')) return { part, cursor: inner };
  } catch {
    // fall through
  }
  throw unknownCursor();
}

/** What is refused says why; what breaks does not. */
async function asProtocol<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ContentTooLarge) throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    if (!(error instanceof SvcError)) throw error;
    const status = error instanceof PlatformError ? error.platformStatus : error.status;
    throw new ProtocolError(status >= 400 && status < 500 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError, error.message);
  }
}
