// Push notifications: a client names a web address, and hears there of each change of its task. Only for
// agents that declare the capability. Behind a platform it is the platform that delivers, whatever the agent
// itself may reach; elsewhere this process does. What is sent is made by the package, whose sender posts to
// any address, private ones too.
import { TaskNotFoundError, PushNotificationNotSupportedError, RequestMalformedError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import { V03PushNotificationSerializer } from '@a2a-js/sdk/compat/v0_3/server';
import { V1PushNotificationSerializer } from '@a2a-js/sdk/server';
import { TaskPushNotificationConfig } from '@a2a-js/sdk';
import { MAX_TASK_PUSHES } from '../../../../contract/run/protocol-tasks.ts';
import type { PushVersion } from '../../../../contract/states.ts';
import { type PushAddress, PushRefused, type RunTask } from '../stored-tasks.ts';
import { isLegacy } from './rpc.ts';
import type { TaskRecord } from './task.ts';
import { checkAddress, postTo, type Reach } from './webhook.ts';
import type { Update } from './wire.ts';

const MAX_WAITING = 1000;
const RETRY_MS = [0, 1_000, 5_000, 30_000] as const;

interface Entry {
  config: TaskPushNotificationConfig;
  /** Of the request that set it: its address hears in the same form. */
  version: PushVersion;
  queue: Promise<void>;
  waiting: number;
}

/** The request that names an address, or takes one away. */
interface Naming {
  version: string;
  /** The credential that came with it. */
  namedBy: string | undefined;
  requestId: string;
}

/** A task at the platform, by the credential of a request. */
type TaskBy = (run: { token: string; requestId: string }, taskId: string) => RunTask;

export class Push {
  readonly #entries = new WeakMap<TaskRecord, Map<string, Entry>>();
  readonly #closed = new AbortController();
  readonly #reach: () => Reach;
  readonly #onError: (error: unknown) => void;
  readonly #taskBy: TaskBy | undefined;
  readonly #serializers = { '1.0': new V1PushNotificationSerializer(), '0.3': new V03PushNotificationSerializer() };

  constructor(reach: () => Reach, onError: (error: unknown) => void, taskBy?: TaskBy) {
    this.#reach = reach;
    this.#onError = onError;
    this.#taskBy = taskBy;
  }

  async save(task: TaskRecord, given: TaskPushNotificationConfig, naming: Naming): Promise<TaskPushNotificationConfig> {
    const version = isLegacy(naming.version) ? '0.3' : '1.0';
    if (task.isElsewhere && !task.over) throw new UnsupportedOperationError(`task ${task.id} does not change any more`);
    const entries = this.#of(task);
    const config = { ...given, taskId: task.id, id: given.id || crypto.randomUUID() };
    if (!entries.has(config.id) && entries.size >= MAX_TASK_PUSHES) throw new RequestMalformedError(`a task has at most ${MAX_TASK_PUSHES} addresses`);
    if (Object.values(credentialsOf(config)).some((value) => !/^[\t\x20-\x7e]*$/.test(value)))
      throw new RequestMalformedError('token and credentials must be plain ASCII: they are sent as headers');
    const before = entries.get(config.id);
    // In order also after a change; and before the address is judged, so that no change is missed meanwhile.
    entries.set(config.id, { config, version, queue: before?.queue ?? Promise.resolve(), waiting: 0 });
    try {
      await this.#judge(task, config, { ...naming, version });
    } catch (error) {
      if (before) entries.set(config.id, before);
      else entries.delete(config.id);
      throw error;
    }
    return config;
  }

  /** @throws RequestMalformedError */
  async #judge(task: TaskRecord, config: TaskPushNotificationConfig, naming: Naming & { version: PushVersion }): Promise<void> {
    const { version, namedBy = '' } = naming;
    const stored = this.#stored(task, naming);
    if (!stored) return void (await checkAddress(config.url, this.#reach()));
    const { scheme = '', credentials = '' } = config.authentication ?? {};
    try {
      await stored.setPush({ id: config.id, url: config.url, version, scheme, credentials, token: config.token, namedBy });
    } catch (error) {
      throw error instanceof PushRefused ? new RequestMalformedError(error.message) : error;
    }
  }

  /** The run of a task that is over can ask nothing any more: the request does. */
  #stored(task: TaskRecord, { namedBy, requestId }: Naming): Pick<RunTask, 'setPush' | 'removePush'> | undefined {
    return task.over && namedBy !== undefined ? this.#taskBy?.({ token: namedBy, requestId }, task.id) : task.writer;
  }

  /** As the platform has them. */
  restore(task: TaskRecord, addresses: readonly PushAddress[]): void {
    const entries = this.#of(task);
    for (const { id, url, version, scheme, credentials, token } of addresses) {
      const authentication = scheme === '' ? {} : { authentication: { scheme, credentials } };
      const config = TaskPushNotificationConfig.fromJSON({ taskId: task.id, id, url, token, ...authentication });
      entries.set(id, { config, version, queue: Promise.resolve(), waiting: 0 });
    }
  }

  list(task: TaskRecord): TaskPushNotificationConfig[] {
    return [...this.#of(task).values()].map(({ config }) => config);
  }

  get(task: TaskRecord, id: string): TaskPushNotificationConfig {
    const entries = this.#of(task);
    // Named only by its task it is the one that exists; clients of 0.3 do so.
    const entry = entries.get(id) ?? (id === '' || id === 'default' ? entries.values().next().value : undefined);
    if (!entry) throw new TaskNotFoundError(`task ${task.id} has no address ${id}`);
    return entry.config;
  }

  async remove(task: TaskRecord, id: string, naming: Naming): Promise<void> {
    if (task.isElsewhere && !task.over) throw new UnsupportedOperationError(`task ${task.id} does not change any more`);
    if (this.#of(task).delete(id) || task.isElsewhere) await this.#stored(task, naming)?.removePush(id);
  }

  /** In order for each address; text that streams is not pushed piece by piece. */
  notify(task: TaskRecord, update: Update): void {
    if (update.$case === 'artifactUpdate' && !update.value.lastChunk) return;
    const entries = [...(this.#entries.get(task)?.values() ?? [])];
    const versions = new Set(entries.map(({ version }) => version));
    for (const version of versions) {
      const { body, contentType } = this.#serializers[version].serialize({ payload: update }, task.snapshot());
      if (task.writer) task.writer.push({ version, body, contentType });
      else for (const entry of entries) if (entry.version === version) this.#post(task, entry, body, contentType);
    }
  }

  close(): void {
    this.#closed.abort();
  }

  #post(task: TaskRecord, entry: Entry, body: string, contentType: string): void {
    if (entry.waiting >= MAX_WAITING) return;
    entry.waiting += 1;
    entry.queue = entry.queue.then(() => this.#deliver(task, entry.config.id, body, contentType)).finally(() => (entry.waiting -= 1));
  }

  async #deliver(task: TaskRecord, id: string, body: string, contentType: string): Promise<void> {
    for (const delay of RETRY_MS) {
      await new Promise((resolve) => setTimeout(resolve, delay).unref());
      const config = this.#of(task).get(id)?.config;
      if (this.#closed.signal.aborted || !config) return;
      try {
        const reach = this.#reach();
        return await postTo(await checkAddress(config.url, reach), reach, {
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
