/**
 * Of the schemas of a group in what is read: they are scripts of the build, which the browser has beside the
 * page.
 */
export const SCHEMAS = 'request-schemas';
