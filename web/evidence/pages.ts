export const evidencePages = [] as const;
