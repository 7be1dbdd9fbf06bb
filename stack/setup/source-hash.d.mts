export declare function sourceHash(paths: string[]): string;
