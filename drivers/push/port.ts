// Push notifications to addresses that callers name.

interface Notification {
  body: string;
  headers: Readonly<Record<string, string>>;
}

export interface Pushes {
  /** Why nothing may go there, for a sentence that begins with the address; undefined: it may. */
  problemOf(url: string): Promise<string | undefined>;
  /** Resolves with the status of the answer, of which nothing is read. Rejects when there is none. */
  post(url: string, notification: Notification): Promise<number>;
  close(): Promise<void>;
}
