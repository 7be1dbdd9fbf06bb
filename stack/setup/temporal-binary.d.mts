type Environment = Readonly<Record<string, string | undefined>>;
export declare function temporalVersion(): string;
export declare function findTemporal(env: Environment, cache: string): string | undefined;
export declare function isPublisherReachable(env: Environment): Promise<boolean>;
/** `download: false`: builds it at once where there is Go. */
export declare function installTemporal(
  env: Environment,
  cache: string,
  options?: { download?: boolean; onLine?: (line: string) => void; signal?: AbortSignal },
): Promise<string>;
