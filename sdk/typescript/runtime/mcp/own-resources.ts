// The resources an agent's author declared.
import { ProtocolError, ProtocolErrorCode, UriTemplate, type Resource } from '@modelcontextprotocol/server';
import { MAX_CONTENT_BYTES } from '../../../../contract/run/caller-resources.ts';
import type { BoundResource } from '../../authoring/declare-resource.ts';
import type { ResourceReader } from '../../authoring/resource.ts';
import type { CallerContent } from '../platform.ts';

type Listed = Pick<Resource, 'name' | 'description' | 'mimeType'>;

export class OwnResources {
  readonly #fixed = new Map<string, BoundResource>();
  readonly #templates: { bound: BoundResource; template: UriTemplate }[] = [];
  readonly #onError: (error: Error) => void;
  readonly #watched: (() => void)[] = [];

  /** @param changed called with the address of what its author says has changed */
  constructor(resources: readonly BoundResource[], onError: (error: Error) => void, changed: (uri: string) => void) {
    this.#onError = onError;
    for (const bound of resources) {
      this.#watched.push(bound.resource.watch((variables) => changed(bound.template ? new UriTemplate(bound.uri).expand({ ...variables }) : bound.uri)));
      if (bound.template) this.#templates.push({ bound, template: new UriTemplate(bound.uri) });
      else this.#fixed.set(bound.uri, bound);
    }
  }

  get list(): Resource[] {
    return [...this.#fixed.values()].map((bound) => ({ uri: bound.uri, ...listed(bound) }));
  }

  get templates(): (Listed & { uriTemplate: string })[] {
    return this.#templates.map(({ bound }) => ({ uriTemplate: bound.uri, ...listed(bound) }));
  }

  /** Undefined: there is none. What its author's code throws goes only to the agent's log. */
  async read(uri: string, reader: ResourceReader): Promise<CallerContent | undefined> {
    const match = this.#find(uri);
    if (!match) return undefined;
    const { declaration, content: source } = match.bound.resource;
    const content = typeof source === 'function' ? await this.#ask(uri, async () => await source(match.variables, reader)) : source;
    if (content === undefined) return undefined;
    const text = typeof content === 'string';
    const data = text ? new TextEncoder().encode(content) : content;
    if (data.byteLength > MAX_CONTENT_BYTES) throw broken(`the agent's content has more than ${MAX_CONTENT_BYTES} bytes`);
    return { data, mimeType: declaration.mimeType ?? (text ? 'text/plain' : 'application/octet-stream') };
  }

  /** What a caller may read now, they may hear of. */
  async isReadable(uri: string, reader: ResourceReader): Promise<boolean> {
    return (await this.read(uri, reader).catch(() => undefined)) !== undefined;
  }

  close(): void {
    for (const unwatch of this.#watched) unwatch();
  }

  #find(uri: string): { bound: BoundResource; variables: Record<string, string> } | undefined {
    const fixed = this.#fixed.get(uri);
    if (fixed) return { bound: fixed, variables: {} };
    for (const { bound, template } of this.#templates) {
      const variables = decoded(template.match(uri));
      if (variables) return { bound, variables };
    }
    return undefined;
  }

  async #ask<T>(uri: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#onError(new Error(`the resource ${uri} cannot be read`, { cause: error }));
      throw broken('the agent failed to read this resource: find the reason in its log');
    }
  }
}

function decoded(found: Record<string, string | string[]> | null): Record<string, string> | undefined {
  try {
    return found ? Object.fromEntries(Object.entries(found).map(([name, value]) => [name, decodeURIComponent(String(value))])) : undefined;
  } catch {
    return undefined;
  }
}

function listed({ name, resource: { declaration, content } }: BoundResource): Listed {
  const { description, mimeType = typeof content === 'string' ? 'text/plain' : undefined } = declaration;
  return { name, ...(description !== undefined && { description }), ...(mimeType !== undefined && { mimeType }) };
}

function broken(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InternalError, message);
}
