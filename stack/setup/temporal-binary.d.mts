type Environment = Readonly<Record<string, string | undefined>>;
export declare function temporalVersion(): string;
export declare function findTemporal(env: Environment, cache: string): string | undefined;
export declare const wheels: { version: string };
export declare function installTemporal(
  env: Environment,
  cache: string,
  options?: { onLine?: (line: string) => void; signal?: AbortSignal; packages?: () => Promise<void> },
): Promise<string>;
