// resource(): something an agent lets its callers read over MCP, by its address.
import type { Principal } from './auth.ts';

export interface ResourceDeclaration {
  /**
   * Its address, `docs://guide`, or a template (RFC 6570) of many, `docs://pages/{page}`. Not below `svc:`
   * and `ui:`, which are the runtime's.
   */
  uri: string;
  /** Public name; default: the field's name. */
  name?: string;
  description?: string;
  /** Default: `text/plain` for text, `application/octet-stream` for bytes. */
  mimeType?: string;
}

/** Who asks for a resource. */
export interface ResourceReader {
  auth: Principal;
}

type Variables = Readonly<Record<string, string>>;

/** What is read. Undefined: there is no such resource for this caller. 8 MiB at most. */
export type ResourceContent = string | Uint8Array | undefined;
/** `variables`: what the template's names stand for, decoded; none where the address is no template. */
export type ResourceSource = (variables: Variables, reader: ResourceReader) => ResourceContent | Promise<ResourceContent>;

// As with skills: two copies of this package in one process recognise each other's.
const BRAND = Symbol.for('@svc/sdk/resource');

export class Resource {
  readonly [BRAND] = true;
  readonly declaration: ResourceDeclaration;
  readonly content: string | Uint8Array | ResourceSource;
  readonly #watchers = new Set<(variables: Variables) => void>();

  constructor(declaration: ResourceDeclaration, content: string | Uint8Array | ResourceSource) {
    this.declaration = declaration;
    this.content = content;
  }

  /** Tells clients that subscribed to it. `variables`: which one of those that a template stands for. */
  changed(variables: Variables = {}): void {
    for (const watcher of this.#watchers) watcher(variables);
  }

  /** For the runtime. @returns what ends it */
  watch(watcher: (variables: Variables) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }
}

/**
 * Declares a resource: `guide = resource({ uri: 'docs://guide', mimeType: 'text/markdown' }, '# Guide')`,
 * `page = resource({ uri: 'docs://pages/{page}' }, ({ page }) => pages.get(page))`
 */
export function resource(declaration: ResourceDeclaration, content: string | Uint8Array | ResourceSource): Resource {
  return new Resource(declaration, content);
}

export function isResource(value: unknown): value is Resource {
  return typeof value === 'object' && value !== null && BRAND in value;
}
