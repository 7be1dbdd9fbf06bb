export declare const dashboardSources: string[];
export declare function dashboardFolder(cache: string, language?: string): string;
