export declare function programOfWheel(options: {
  project: string;
  version: string;
  platform: string;
  sha256: string;
  program: string;
  folder: string;
  env?: Readonly<Record<string, string | undefined>>;
  onLine?: (line: string) => void;
  signal?: AbortSignal;
}): Promise<string>;
