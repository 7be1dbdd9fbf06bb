// JSON bodies, read with a ceiling. What cannot be read is 422, but 413 and 415 where the route declares
// them.
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { RouteSpec } from '#contract/kit.ts';
import { NumberOutOfRange, parseExact } from '#contract/wire/exact-json.ts';
import { BadRequest, PayloadTooLarge, UnsupportedMediaType, type Invalid } from '#core/kernel/errors.ts';
import { readBody } from './packed-body.ts';

const CEILING_BYTES = 1024 * 1024;
export const NOT_UTF8 = 'is not valid UTF-8: encode text as UTF-8 before sending it';

/** Undefined where no body was sent: the schema decides whether it may be absent. */
export async function readJson(req: IncomingMessage, spec: RouteSpec, issues: Invalid['issues']): Promise<{ value: unknown } | undefined> {
  const ceiling = spec.bodyBytes ?? CEILING_BYTES;
  if (!hasBody(req)) return { value: undefined };
  if (!isJson(req.headers['content-type'])) {
    const message = 'send JSON, with content-type: application/json';
    if (spec.errors.includes(415)) throw new UnsupportedMediaType('unsupported_media_type', `The body has a type that is not accepted: ${message}`);
    issues.push({ path: ['body'], message });
    return undefined;
  }
  try {
    // As bytes: a decoder would put U+FFFD where they are no UTF-8, and that would be stored.
    const bytes = await readBody(req, ceiling, () => new PayloadTooLarge('body_too_large', `the body may have at most ${ceiling} bytes`));
    if (!isUtf8(bytes)) {
      issues.push({ path: ['body'], message: NOT_UTF8 });
      return undefined;
    }
    return { value: bytes.length === 0 ? '' : parseExact(bytes.toString().replace(/^\ufeff/, '')) };
  } catch (error) {
    if (error instanceof NumberOutOfRange) return void issues.push({ path: ['body'], message: error.message });
    if (error instanceof PayloadTooLarge && spec.errors.includes(413)) throw error;
    const ours = error instanceof PayloadTooLarge || error instanceof BadRequest;
    issues.push({ path: ['body'], message: ours ? error.message : 'the body is not valid JSON' });
    return undefined;
  }
}

function hasBody(req: IncomingMessage): boolean {
  const length = req.headers['content-length'];
  return req.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

function isJson(type: string | undefined): boolean {
  return type !== undefined && /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type);
}
