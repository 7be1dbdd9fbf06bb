// What models answered, in files of the project: one for each request, found by what was asked, never by who
// asked.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { canonicalSha256 } from '#contract/crypto/sha256.ts';

const Answer = z.strictObject({
  status: z.int(),
  content_type: z.string(),
  /** As they came; an event stream by events. */
  chunks: z.array(z.string()),
  /** Bytes that are no text. */
  base64: z.boolean().optional(),
});
export type RecordedAnswer = z.infer<typeof Answer>;

const RecordedRequest = z.strictObject({
  protocol: z.enum(['openai', 'anthropic']),
  method: z.string(),
  path: z.string(),
  beta: z.string().optional(),
  body: z.unknown(),
});
export type GatewayRequest = z.infer<typeof RecordedRequest>;

const Recording = z.strictObject({
  version: z.literal(1),
  request: RecordedRequest,
  /** To the same request, one after the other; the last one again where more is asked. */
  answers: z.array(Answer).min(1),
});
type Recording = z.infer<typeof Recording>;

export class RecordingInvalid extends Error {}

export class Recordings {
  readonly folder: string;
  readonly #known = new Map<string, Recording>();
  readonly #taken = new Map<string, number>();
  /** Made by this process: what a file had before is replaced. */
  readonly #fresh = new Set<string>();

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** @throws RecordingInvalid */
  static async open(folder: string): Promise<Recordings> {
    const opened = new Recordings(folder);
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((one) => one.endsWith('.json')).sort()) {
      const recording = parse(await readFile(join(folder, name), 'utf8'));
      if (!recording) throw new RecordingInvalid(`${join(folder, name)} is no recording of a model's answer: record it again, or delete it`);
      opened.#known.set(keyOf(recording.request), recording);
    }
    return opened;
  }

  /** The next answer to this request; undefined: none is recorded. */
  take(asked: GatewayRequest): RecordedAnswer | undefined {
    const key = keyOf(asked);
    const answers = this.#known.get(key)?.answers;
    if (!answers) return undefined;
    const at = this.#taken.get(key) ?? 0;
    this.#taken.set(key, at + 1);
    return answers[Math.min(at, answers.length - 1)];
  }

  async keep(asked: GatewayRequest, answer: RecordedAnswer): Promise<void> {
    const key = keyOf(asked);
    const before = this.#fresh.has(key) ? (this.#known.get(key)?.answers ?? []) : [];
    this.#fresh.add(key);
    const recording: Recording = { version: 1, request: asked, answers: [...before, answer] };
    this.#known.set(key, recording);
    await mkdir(this.folder, { recursive: true });
    await writeFile(join(this.folder, `${nameOf(asked)}.json`), `${JSON.stringify(recording, undefined, 2)}\n`);
  }

  /** How many of them were asked for. */
  get used(): { taken: number; all: number } {
    return { taken: this.#taken.size, all: this.#known.size };
  }

  /** Which recorded request is most like it, and in what it differs. */
  nearest(asked: GatewayRequest): string | undefined {
    const alike = [...this.#known.values()]
      .filter(({ request }) => request.path === asked.path && request.protocol === asked.protocol)
      .map(({ request }) => ({ name: `${nameOf(request)}.json`, differs: differences(request, asked) }))
      .sort((one, other) => one.differs.length - other.differs.length)[0];
    return alike && `${alike.name} differs from it in: ${alike.differs.join(', ')}`;
  }
}

function keyOf(asked: GatewayRequest): string {
  return canonicalSha256(asked);
}

/** Readable first: `gpt-5.5-1f0e9c…`. */
export function nameOf(asked: GatewayRequest): string {
  const model = bodyOf(asked)['model'];
  const readable = typeof model === 'string' ? model.replaceAll(/[^\w.-]+/g, '_').slice(0, 60) : 'request';
  return `${readable}-${keyOf(asked).slice(0, 16)}`;
}

function differences(one: GatewayRequest, other: GatewayRequest): string[] {
  const [first, second] = [bodyOf(one), bodyOf(other)];
  const names = [...new Set([...Object.keys(first), ...Object.keys(second)])];
  const body = names.filter((name) => canonicalSha256(first[name] ?? null) !== canonicalSha256(second[name] ?? null));
  return one.beta === other.beta ? body : [...body, 'the beta header'];
}

function bodyOf({ body }: GatewayRequest): Record<string, unknown> {
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? { ...body } : {};
}

function parse(text: string): Recording | undefined {
  try {
    return Recording.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
