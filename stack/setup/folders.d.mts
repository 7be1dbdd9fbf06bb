type Environment = Readonly<Record<string, string | undefined>>;
export declare const repository: string;
export declare function cacheFolder(env: Environment): string;
export declare function stateFolder(env: Environment): string;
