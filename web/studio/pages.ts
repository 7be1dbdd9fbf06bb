export const studioPages = [] as const;
