// Of a long text, as much as a page can show.

export const SHOWN_CHARACTERS = 200_000;
/** JSON that is longer is shown as it is: to lay it out would hold the page. */
const LAID_OUT_BYTES = 2 * 1024 * 1024;

export interface ShownText {
  text: string;
  isCut: boolean;
}

/** The start of a text in UTF-8. */
export async function startOf(bytes: Blob, most = SHOWN_CHARACTERS): Promise<ShownText> {
  // A character has four bytes at most.
  const part = bytes.slice(0, most * 4);
  return cut(await part.text(), most, part.size < bytes.size);
}

/** Laid out where it is JSON of a size that allows it. */
export async function jsonOf(bytes: Blob): Promise<ShownText> {
  if (bytes.size > LAID_OUT_BYTES) return startOf(bytes);
  const text = await bytes.text();
  try {
    return cut(JSON.stringify(JSON.parse(text), null, 2), SHOWN_CHARACTERS, false);
  } catch {
    return cut(text, SHOWN_CHARACTERS, false);
  }
}

function cut(text: string, most: number, hasMore: boolean): ShownText {
  return text.length > most ? { text: text.slice(0, most), isCut: true } : { text, isCut: hasMore };
}
