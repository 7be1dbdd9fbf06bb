// Which addresses of an untrusted text may be followed, and how they are shown. Pure.

const SCHEMES = new Set(['http:', 'https:', 'mailto:']);
const LONGEST = 2_048;
/** They turn the order of the letters around: an address could look like another one. */
const TURNING = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;
const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', copy: '©', hellip: '…', mdash: '—', ndash: '–' };

/** The address as a browser reads it; undefined: it is shown as text. What is checked is what is followed. */
export function safeAddress(text: string): string | undefined {
  if (text.length > LONGEST) return undefined;
  try {
    const url = new URL(text);
    return SCHEMES.has(url.protocol) ? url.href : undefined;
  } catch {
    // Also addresses without a host: they would lead into this site.
    return undefined;
  }
}

/** Where the link leads, if its words name another place. */
export function otherPlace(address: string, words: string): string | undefined {
  const { hostname, protocol } = new URL(address);
  if (protocol === 'mailto:') return undefined;
  const named = /(?:^|[\s/@(])((?:[\w-]+\.)+[a-z]{2,})(?=$|[\s/:?#)])/i.exec(words)?.[1]?.toLowerCase();
  return named !== undefined && named !== hostname && `www.${named}` !== hostname && named !== `www.${hostname}` ? hostname : undefined;
}

/** Code points of characters that change the reading direction, or are invisible. */
export function shownPlainly(text: string): string {
  return text.replaceAll(TURNING, (found) => `⟨U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

/** `&amp;` and `&#38;` as the characters they stand for; names that are not known here stay. */
export function withoutEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]{2,8}));/g, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return (Object.hasOwn(NAMED, name) ? NAMED[name] : undefined) ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return code === 0 || code > 0x10_ffff || (code >= 0xd800 && code <= 0xdfff) ? '\ufffd' : String.fromCodePoint(code);
  });
}
