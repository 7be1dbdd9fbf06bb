export const platformPages = [] as const;
