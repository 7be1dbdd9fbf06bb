// What tool and box say to each other over one SSH session: each frame is a JSON head and a body of bytes,
// both with their length.
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';
import { FileFacts, MAX_FILE_BYTES } from './tree.ts';

const MAX_HEAD = 8 * 1_048_576;

const Path = z.string().min(1).max(1_024);
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const Settings = z.object({
  agent: z.string(),
  /** Of the project, in the box. */
  folder: z.string(),
  host: z.string(),
  port: z.int(),
  reload: z.boolean(),
  workspace: z.string().optional(),
  /** Environment of the agent's process; kept only in memory. */
  env: z.record(z.string(), z.string()),
  /** As the owner reaches it. */
  url: z.string(),
});
export type Settings = z.infer<typeof Settings>;

/** Of the tool. */
export const Ask = z.discriminatedUnion('do', [
  z.object({ do: z.literal('begin'), settings: Settings }),
  z.object({ do: z.literal('scan') }),
  /** The body is a content that is to be written. */
  z.object({ do: z.literal('stage'), sha256: Sha256 }),
  z.object({
    do: z.literal('apply'),
    writes: z.array(z.object({ path: Path, sha256: Sha256, executable: z.boolean() })),
    removes: z.array(Path),
    expected: z.record(z.string(), z.string().nullable()),
  }),
  z.object({ do: z.literal('read'), path: Path }),
  /** Takes up the code as it is now. */
  z.object({ do: z.literal('serve'), paths: z.array(z.string()) }),
]);
export type Ask = z.infer<typeof Ask>;

/** Of the box: answers, in the order of what was asked, and between them what happens. */
export const BoxMessage = z.discriminatedUnion('is', [
  z.object({ is: z.literal('ready'), tree_id: z.string(), now: z.number(), pristine: z.boolean() }),
  z.object({ is: z.literal('tree'), files: z.array(z.tuple([Path, FileFacts])), now: z.number() }),
  z.object({ is: z.literal('staged') }),
  z.object({ is: z.literal('applied'), changed: z.array(z.string()) }),
  /** The body is the content; null: there is no such file any more. */
  z.object({ is: z.literal('content'), sha256: Sha256.nullable() }),
  z.object({ is: z.literal('served'), well: z.boolean(), ms: z.number() }),
  z.object({ is: z.literal('failed'), message: z.string() }),
  z.object({ is: z.literal('log'), text: z.string() }),
  z.object({ is: z.literal('changed') }),
]);
export type BoxMessage = z.infer<typeof BoxMessage>;
export type Answer = Exclude<BoxMessage, { is: 'log' | 'changed' }>;

export interface Frame<T> {
  head: T;
  body: Buffer;
}

/** Waits where the reader is slow. */
export async function writeFrame(output: Writable, head: Ask | BoxMessage, body: Uint8Array = new Uint8Array()): Promise<void> {
  const text = Buffer.from(JSON.stringify(head));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32LE(text.length, 0);
  lengths.writeUInt32LE(body.length, 4);
  if (!output.write(Buffer.concat([lengths, text, body]))) await once(output, 'drain');
}

/** @throws where the other side breaks the form */
export async function* readFrames<T>(input: Readable, shape: z.ZodType<T>): AsyncGenerator<Frame<T>> {
  let chunks: Buffer[] = [];
  let size = 0;
  const take = (count: number): Buffer => {
    const all = Buffer.concat(chunks);
    chunks = [all.subarray(count)];
    size -= count;
    return all.subarray(0, count);
  };
  let lengths: [number, number] | undefined;
  for await (const chunk of input) {
    const piece: Buffer = chunk;
    chunks.push(piece);
    size += piece.length;
    for (;;) {
      if (lengths === undefined) {
        if (size < 8) break;
        const head = take(8);
        lengths = [head.readUInt32LE(0), head.readUInt32LE(4)];
        if (lengths[0] > MAX_HEAD || lengths[1] > MAX_FILE_BYTES) throw new Error('The other side sent more than it may.');
      }
      const [headBytes, bodyBytes] = lengths;
      if (size < headBytes + bodyBytes) break;
      const head = shape.parse(JSON.parse(take(headBytes).toString()));
      const body = take(bodyBytes);
      lengths = undefined;
      yield { head, body };
    }
  }
}
