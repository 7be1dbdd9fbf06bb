// Apart from the manifest: the build in its machine loads no validator.

/**
 * What a frontend's build must leave below `dist`: the page, or the program that writes pages and exports
 * `handle(req, res, page)`.
 */
export function entryOfFrontend({ mode }: { mode?: string | undefined }): 'index.html' | 'server.cjs' {
  return mode === 'server-rendered' ? 'server.cjs' : 'index.html';
}
