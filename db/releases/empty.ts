// Tables that a fixture of a release leaves empty, each with the reason. A test refuses a table that is neither filled nor named here, and a named one that is filled.
export const EMPTY: Readonly<Record<string, string>> = {};
