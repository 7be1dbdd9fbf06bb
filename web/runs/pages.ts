export const runsPages = [] as const;
