// Files of a user, uploaded as users upload them.
import { Readable } from 'node:stream';
import type { Ctx } from '../../../kernel/ctx.ts';
import { uploadFile } from '../../../workspace/file/upload.ts';

export async function uploadFiles(ctx: Ctx, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const parts = (async function* () {
      yield { kind: 'field' as const, name: 'path', value: path };
      yield { kind: 'file' as const, name: 'file', filename: 'f', media: 'text/plain', stream: Readable.from([Buffer.from(text)], { objectMode: false }) };
    })();
    await uploadFile(ctx, parts, {});
  }
}
