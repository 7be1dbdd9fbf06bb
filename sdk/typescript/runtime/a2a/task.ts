// One task: what is known of it now, and who follows it. Every update is applied once, to the task itself,
// and then sent to all followers: a later follower starts from the task as it is, so that it misses nothing
// between the two.
import { TaskState, type Artifact, type Message, type Task } from '@a2a-js/sdk';
import type { TaskWriter } from '../task-writer.ts';
import { Feed } from './feed.ts';
import { artifact, textPart, TERMINAL, type Update } from './wire.ts';

/** Messages of its history; the oldest go. */
const MAX_HISTORY = 200;
const MAX_ARTIFACTS = 1000;

export class TaskRecord {
  readonly id: string;
  readonly contextId: string;
  readonly owner: string;
  readonly skill: string;
  /** Undefined: it was never run. */
  runId: string | undefined;
  /** Ends the run. */
  stop: () => void = () => {};
  /** Its skill may answer with a message, and has sent nothing yet that needs a task. */
  mayReply = false;
  reply: Message | undefined;
  /** Writes it to the platform; undefined: it lives only here. */
  writer: TaskWriter | undefined;
  /** As the platform stored it: it does not run here. */
  readonly isElsewhere: boolean;
  /** What it costs to keep, about. */
  bytes = 0;
  updatedAt = Date.now();
  #state = TaskState.TASK_STATE_SUBMITTED;
  #message: Message | undefined;
  #metadata: Record<string, unknown> = {};
  readonly #history: Message[] = [];
  readonly #artifacts = new Map<string, Artifact>();
  /** Growing text is kept in pieces, and joined when it is read. */
  readonly #text: string[] = [];
  readonly #feeds = new Set<Feed>();
  readonly #onUpdate: (update: Update, task: TaskRecord) => void;

  constructor(ids: { id: string; contextId: string }, owner: string, skill: string, onUpdate: (update: Update, task: TaskRecord) => void, isElsewhere = false) {
    this.isElsewhere = isElsewhere;
    this.id = ids.id;
    this.contextId = ids.contextId;
    this.owner = owner;
    this.skill = skill;
    this.#onUpdate = onUpdate;
  }

  /** Of another machine. */
  static restored(wire: Task, owner: string, runId: string): TaskRecord {
    const { skill, ...metadata } = wire.metadata ?? {};
    const task = new TaskRecord(wire, owner, typeof skill === 'string' ? skill : '', () => {}, true);
    task.runId = runId;
    task.#state = wire.status?.state ?? TaskState.TASK_STATE_SUBMITTED;
    task.#message = wire.status?.message;
    task.#metadata = metadata;
    task.#history.push(...wire.history);
    for (const one of wire.artifacts) task.#artifacts.set(one.artifactId, one);
    task.updatedAt = Date.parse(wire.status?.timestamp ?? '') || Date.now();
    return task;
  }

  get state(): TaskState {
    return this.#state;
  }
  get over(): boolean {
    return TERMINAL.has(this.#state);
  }
  get timestamp(): string {
    return new Date(this.updatedAt).toISOString();
  }

  addToHistory(message: Message): void {
    this.#history.push(message);
    this.bytes += sizeOf(message);
    if (this.#history.length <= MAX_HISTORY) return;
    const dropped = this.#history.shift();
    if (dropped) this.bytes -= sizeOf(dropped);
  }

  setMetadata(metadata: Record<string, unknown>): void {
    this.#metadata = { ...this.#metadata, ...metadata };
  }

  /** A terminal state stays. */
  setStatus(state: TaskState, message?: Message, metadata?: Record<string, unknown>): void {
    if (this.over) return;
    this.#state = state;
    this.#message = message;
    if (message !== undefined || state !== TaskState.TASK_STATE_WORKING) this.mayReply = false;
    this.updatedAt = Date.now();
    const status = { state, message, timestamp: this.timestamp };
    this.#tell({ $case: 'statusUpdate', value: { taskId: this.id, contextId: this.contextId, status, metadata } });
    if (this.over) for (const feed of this.#feeds) feed.end();
  }

  addArtifact(added: Artifact): void {
    if (this.over || this.#artifacts.size >= MAX_ARTIFACTS) return;
    this.mayReply = false;
    this.#artifacts.set(added.artifactId, added);
    this.bytes += sizeOf(added);
    this.#tell({
      $case: 'artifactUpdate',
      value: { taskId: this.id, contextId: this.contextId, artifact: added, append: false, lastChunk: true, metadata: undefined },
    });
  }

  appendText(text: string): void {
    if (this.over || text === '') return;
    this.mayReply = false;
    const append = this.#text.length > 0;
    this.#text.push(text);
    this.bytes += text.length;
    const chunk = artifact('text', 'text', [textPart(text)]);
    this.#tell({
      $case: 'artifactUpdate',
      value: { taskId: this.id, contextId: this.contextId, artifact: chunk, append, lastChunk: false, metadata: undefined },
    });
  }

  /** The task as it is; a copy as far as its lists go. */
  snapshot({ historyLength, artifacts = true }: { historyLength?: number | undefined; artifacts?: boolean } = {}): Task {
    if (this.#text.length > 1) this.#text.splice(0, this.#text.length, this.#text.join(''));
    const text = this.#text[0] === undefined ? [] : [artifact('text', 'text', [textPart(this.#text[0])])];
    return {
      id: this.id,
      contextId: this.contextId,
      status: { state: this.#state, message: this.#message, timestamp: this.timestamp },
      artifacts: artifacts ? [...text, ...this.#artifacts.values()] : [],
      history: historyLength === undefined ? [...this.#history] : historyLength <= 0 ? [] : this.#history.slice(-historyLength),
      metadata: { skill: this.skill, ...this.#metadata },
    };
  }

  /** Updates from now on; ends with the task, or when `signal` says that the reader has gone. */
  follow(signal: AbortSignal): Feed {
    const feed = new Feed(() => this.#feeds.delete(feed));
    this.#feeds.add(feed);
    if (this.over) feed.end();
    if (signal.aborted) feed.end();
    else signal.addEventListener('abort', () => feed.end(), { once: true });
    return feed;
  }

  #tell(update: Update): void {
    for (const feed of this.#feeds) feed.push(update);
    this.#onUpdate(update, this);
  }
}

function sizeOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}
