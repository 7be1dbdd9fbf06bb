declare module 'virtual:request-schemas' {
  /** For each group: the JSON Schemas of what its routes take. */
  export const loaders: Record<string, () => Promise<{ schemas: Record<string, { body?: Record<string, unknown>; query?: Record<string, unknown> }> }>>;
}
