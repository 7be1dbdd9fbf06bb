// Source hosting: one real git repository per agent. Default driver: bare repositories on disk through git
// itself. Where repositories are, only the driver knows: a process that serves git to people may be another
// machine than the one that keeps them.
import type { Readable } from 'node:stream';

interface SourceFile {
  /** Relative, forward slashes, no `..`. */
  path: string;
  executable: boolean;
}

/** What a commit holds at one path. Links and submodules are listed, so that they can be refused. */
export interface TreeEntry extends SourceFile {
  kind: 'file' | 'link' | 'submodule';
  /** Id of the content. */
  blob: string;
  /** Bytes; 0 for a submodule. */
  size: number;
}

export interface FileChange {
  path: string;
  /** Null: the file goes. */
  content: Buffer | null;
  executable?: boolean;
}

export interface RefUpdate {
  /** `refs/heads/main` */
  ref: string;
  /** Null: it is new. */
  before: string | null;
  /** Null: it is deleted. */
  after: string | null;
}

/** What the platform says about a push. */
export interface PushRules {
  /**
   * Called when everything has arrived and nothing is visible yet. Resolves with why the push is refused,
   * line by line; undefined: it is taken.
   */
  admit(push: { updates: readonly RefUpdate[]; files: (revision: string) => AsyncIterable<TreeEntry> }): Promise<readonly string[] | undefined>;
  /**
   * Called when the refs have moved. Its lines are shown to who pushed, as they come; the push waits for its
   * end.
   */
  received(updates: readonly RefUpdate[]): AsyncIterable<string>;
}

/** A request of a git client over HTTP, after the platform has admitted it. */
export interface GitRequest {
  repository: string;
  /** What follows the repository's address. */
  service: 'info/refs' | 'git-upload-pack' | 'git-receive-pack';
  method: 'GET' | 'POST';
  /** Without the question mark. */
  query: string;
  contentType?: string | undefined;
  contentEncoding?: string | undefined;
  contentLength?: string | undefined;
  /** Header Git-Protocol. */
  protocol?: string | undefined;
  body: Readable;
  /** Absent: nothing may be pushed. */
  push?: PushRules | undefined;
  /** Ends it. */
  signal: AbortSignal;
}

export interface GitAnswer {
  status: number;
  headers: Record<string, string>;
  body: Readable;
}

export interface SourceControl {
  /**
   * Commits the extracted folder as the whole tree of `branch`; creates the repository when absent. Resolves
   * with the commit's id.
   */
  commitTree(input: {
    repository: string;
    folder: string;
    branch: string;
    message: string;
    author: { name: string; email: string };
  }): Promise<{ commit: string }>;
  /**
   * Commits a few files on top of `parent` (null: the first commit), creating the repository when absent.
   * @throws ScmError scm_moved: the branch is elsewhere by now
   */
  commitFiles(input: {
    repository: string;
    branch: string;
    parent: string | null;
    changes: readonly FileChange[];
    message: string;
    author: { name: string; email: string };
  }): Promise<{ commit: string }>;
  /** Creates an empty repository when there is none. */
  ensure(repository: string): Promise<void>;
  /** The commit of a branch; undefined where there is none, or no repository. */
  head(input: { repository: string; branch: string }): Promise<string | undefined>;
  /**
   * All entries of the commit's tree, in git's order; stop reading when it is enough. @throws ScmError
   * scm_commit_missing
   */
  files(input: { repository: string; commit: string }): AsyncIterable<TreeEntry>;
  /**
   * A file of the commit; undefined where there is none. `content` is absent when the file is larger than
   * `maxBytes`. @throws ScmError scm_commit_missing
   */
  read(input: { repository: string; commit: string; path: string; maxBytes: number }): Promise<(TreeEntry & { content?: Buffer }) | undefined>;
  /** The commit's tree as a gzipped tar; rejects when it does not exist. */
  archive(input: { repository: string; commit: string }): Promise<NodeJS.ReadableStream>;
  /** All branches and tags as `git bundle` writes them; nothing at all where there is no commit. */
  bundle(repository: string): Promise<AsyncIterable<Uint8Array>>;
  /** Answers a git client; creates the repository when absent. */
  serve(request: GitRequest): Promise<GitAnswer>;
  /** Resolves when it can take commits; rejects when not. */
  ping(): Promise<void>;
  /** Removes a repository; idempotent. */
  remove(repository: string): Promise<void>;
}
