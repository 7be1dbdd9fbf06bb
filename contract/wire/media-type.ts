/** A media type as it was written, without its parameters: `text/html; charset=utf-8` is `text/html`. */
export function bareType(mediaType: string): string {
  return mediaType.split(';', 1)[0]?.trim() ?? '';
}
