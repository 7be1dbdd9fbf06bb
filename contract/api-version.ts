/** Of the API that the specification describes; the program has a version of its own, version.ts. */
export const API_VERSION = '0.1.2';
