// Source hosting: one real git repository per agent. Default driver: bare repositories on disk through git itself.

export interface SourceFile {
  /** Relative, forward slashes, no `..`. */
  path: string;
  executable: boolean;
}

export interface SourceControl {
  /** Commits the extracted folder as the whole tree of `branch`; creates the repository when absent. Resolves with the commit's id. */
  commitTree(input: {
    repository: string;
    folder: string;
    branch: string;
    message: string;
    author: { name: string; email: string };
  }): Promise<{ commit: string }>;
  /** The commit's tree as a gzipped tar; rejects when it does not exist. */
  archive(input: { repository: string; commit: string }): Promise<NodeJS.ReadableStream>;
  /** All branches and tags as `git bundle` writes them; nothing at all where there is no commit. */
  bundle(repository: string): Promise<AsyncIterable<Uint8Array>>;
  /** Resolves when it can take commits; rejects when not. */
  ping(): Promise<void>;
  /** Removes a repository; idempotent. */
  remove(repository: string): Promise<void>;
}
