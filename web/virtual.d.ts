declare module 'virtual:request-schemas' {
  /** For each group: the JSON Schemas of what its routes take. */
  export const loaders: Record<string, () => Promise<{ schemas: Record<string, { body?: Record<string, unknown>; query?: Record<string, unknown> }> }>>;
}

declare module 'virtual:templates' {
  /** Unfilled files by where they go in a project: contract/wire/template.ts. */
  export const loaders: Record<
    'typescript' | 'javascript' | 'python',
    () => Promise<{ template: { ref: string; digest: string; files: Record<string, string> } }>
  >;
}

declare module 'virtual:docs' {
  import type { DocsPage, DocsSection } from '#web/docs/tree.ts';

  export const sections: DocsSection[];
  /** By the page's address below /docs. */
  export const loaders: Partial<Record<string, () => Promise<{ page: DocsPage }>>>;
}

declare module 'virtual:docs-search' {
  /** For `MiniSearch.loadJSON` with the options of web/docs/search-options.ts. */
  export const index: string;
}
