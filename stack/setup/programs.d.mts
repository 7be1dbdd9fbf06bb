export declare class UserError extends Error {}
export declare function runProgram(
  command: string,
  args: string[],
  options?: { env?: Readonly<Record<string, string | undefined>>; cwd?: string; onLine?: (line: string) => void; signal?: AbortSignal },
): Promise<void>;
export declare function advice(lines: string[]): string;
export declare function isOnPath(command: string, env: Readonly<Record<string, string | undefined>>): boolean;
