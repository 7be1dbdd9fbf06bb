// Push notifications: a client names a web address, and hears there of each change of its task. Only for agents that declare the capability.
// The package's sender posts to any address, private ones too; what is sent is made by the package.
import { TaskNotFoundError, PushNotificationNotSupportedError, RequestMalformedError } from '@a2a-js/sdk/errors';
import { V03PushNotificationSerializer } from '@a2a-js/sdk/compat/v0_3/server';
import { V1PushNotificationSerializer } from '@a2a-js/sdk/server';
import type { TaskPushNotificationConfig } from '@a2a-js/sdk';
import { isLegacy } from './rpc.ts';
import type { TaskRecord } from './task.ts';
import { checkAddress, postTo, type Reach } from './webhook.ts';
import type { Update } from './wire.ts';

const MAX_CONFIGS = 8;
const MAX_WAITING = 1000;
const RETRY_MS = [0, 1_000, 5_000, 30_000] as const;

interface Entry {
  config: TaskPushNotificationConfig;
  /** Of the request that set it: its address hears in the same form. */
  version: string;
  queue: Promise<void>;
  waiting: number;
}

export class Push {
  readonly #entries = new WeakMap<TaskRecord, Map<string, Entry>>();
  readonly #closed = new AbortController();
  readonly #reach: () => Reach;
  readonly #onError: (error: unknown) => void;
  readonly #current = new V1PushNotificationSerializer();
  readonly #legacy = new V03PushNotificationSerializer();

  constructor(reach: () => Reach, onError: (error: unknown) => void) {
    this.#reach = reach;
    this.#onError = onError;
  }

  save(task: TaskRecord, given: TaskPushNotificationConfig, version: string): TaskPushNotificationConfig {
    checkAddress(given.url, this.#reach());
    const entries = this.#of(task);
    const config = { ...given, taskId: task.id, id: given.id || crypto.randomUUID() };
    if (!entries.has(config.id) && entries.size >= MAX_CONFIGS) throw new RequestMalformedError(`a task has at most ${MAX_CONFIGS} addresses`);
    if (Object.values(credentialsOf(config)).some((value) => !/^[\t\x20-\x7e]*$/.test(value)))
      throw new RequestMalformedError('token and credentials must be plain ASCII: they are sent as headers');
    // In order also after a change.
    const queue = entries.get(config.id)?.queue ?? Promise.resolve();
    entries.set(config.id, { config, version, queue, waiting: 0 });
    return config;
  }

  list(task: TaskRecord): TaskPushNotificationConfig[] {
    return [...this.#of(task).values()].map(({ config }) => config);
  }

  get(task: TaskRecord, id: string): TaskPushNotificationConfig {
    const entries = this.#of(task);
    // By its task alone it is the one there is; clients of 0.3 name it so.
    const entry = entries.get(id) ?? (id === '' || id === 'default' ? entries.values().next().value : undefined);
    if (!entry) throw new TaskNotFoundError(`task ${task.id} has no address ${id}`);
    return entry.config;
  }

  remove(task: TaskRecord, id: string): void {
    this.#of(task).delete(id);
  }

  /** In order for each address; text that streams is not pushed piece by piece. */
  notify(task: TaskRecord, update: Update): void {
    if (update.$case === 'artifactUpdate' && !update.value.lastChunk) return;
    const entries = this.#entries.get(task);
    if (!entries) return;
    for (const entry of entries.values()) {
      if (entry.waiting >= MAX_WAITING) continue;
      entry.waiting += 1;
      const { body, contentType } = (isLegacy(entry.version) ? this.#legacy : this.#current).serialize({ payload: update }, task.snapshot());
      entry.queue = entry.queue.then(() => this.#deliver(task, entry.config.id, body, contentType)).finally(() => (entry.waiting -= 1));
    }
  }

  close(): void {
    this.#closed.abort();
  }

  async #deliver(task: TaskRecord, id: string, body: string, contentType: string): Promise<void> {
    for (const delay of RETRY_MS) {
      await new Promise((resolve) => setTimeout(resolve, delay).unref());
      const config = this.#of(task).get(id)?.config;
      if (this.#closed.signal.aborted || !config) return;
      try {
        const reach = this.#reach();
        return await postTo(checkAddress(config.url, reach), reach, {
          body,
          headers: { 'content-type': contentType, ...credentialsOf(config) },
          signal: this.#closed.signal,
        });
      } catch (error) {
        if (delay === RETRY_MS.at(-1)) this.#onError(error);
      }
    }
  }

  #of(task: TaskRecord): Map<string, Entry> {
    const entries = this.#entries.get(task) ?? new Map<string, Entry>();
    this.#entries.set(task, entries);
    return entries;
  }
}

export function required(push: Push | undefined): Push {
  if (!push) throw new PushNotificationNotSupportedError();
  return push;
}

function credentialsOf({ authentication, token }: TaskPushNotificationConfig): Record<string, string> {
  return {
    ...(authentication?.scheme && authentication.credentials && { authorization: `${authentication.scheme} ${authentication.credentials}` }),
    ...(token && { 'x-a2a-notification-token': token }),
  };
}
