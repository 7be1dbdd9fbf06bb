// What an agent of another protocol answers, where it declares no schema of its own: its words, its data, its
// files, in one shape.
import type { Listener } from './port.ts';

export interface RemoteAnswer {
  text?: string;
  data?: unknown;
  files?: { name: string; uri: string; mime_type: string }[];
}

export const REMOTE_ANSWER_SCHEMA: Record<string, unknown> = {
  type: 'object',
  properties: {
    text: { type: 'string', description: 'What the agent says.' },
    data: { description: 'What it answers as JSON.' },
    files: {
      type: 'array',
      items: { type: 'object', properties: { name: { type: 'string' }, uri: { type: 'string' }, mime_type: { type: 'string' } }, required: ['name', 'uri'] },
    },
  },
};

/** One piece of an answer. */
export type Piece =
  | { kind: 'text'; text: string }
  | { kind: 'data'; value: unknown }
  | { kind: 'link'; name: string; uri: string; mimeType: string }
  | { kind: 'bytes'; name: string; data: Uint8Array; mimeType: string };

/** Files are kept as artifacts of the run. Several pieces of data are a list. */
export async function remoteAnswerOf(pieces: readonly Piece[], listener: Listener): Promise<RemoteAnswer> {
  const words = pieces.flatMap((piece) => (piece.kind === 'text' ? [piece.text] : []));
  const data = pieces.flatMap((piece) => (piece.kind === 'data' ? [piece.value] : []));
  const files: NonNullable<RemoteAnswer['files']> = [];
  for (const piece of pieces) {
    if (piece.kind === 'link') files.push({ name: piece.name, uri: piece.uri, mime_type: piece.mimeType });
    if (piece.kind === 'bytes') files.push({ name: piece.name, uri: await listener.file(piece.name, piece.data, piece.mimeType), mime_type: piece.mimeType });
  }
  return {
    ...(words.length > 0 && { text: words.join('\n') }),
    ...(data.length > 0 && { data: data.length === 1 ? data[0] : data }),
    ...(files.length > 0 && { files }),
  };
}
