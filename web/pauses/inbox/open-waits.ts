/** At the bell and on the home page: the same reading. */
export const openWaits = { query: { limit: 100 } };
