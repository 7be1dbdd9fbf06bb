export const workspacePages = [] as const;
