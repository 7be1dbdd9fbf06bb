/** How an agent is made in the browser. */
export const WAYS = ['template', 'upload', 'source', 'import', 'openapi', 'compose', 'register'] as const;
export type Way = (typeof WAYS)[number];
