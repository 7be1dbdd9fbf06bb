// What a program wrote, without what would do something to a screen: of escape sequences only colors stay.
// One pass, whatever comes.

const ESC = 0x1b;
const BEL = 0x07;
const CSI = 0x9b;
/** Strings that a terminal reads until their end: DCS, SOS, OSC, PM, APC. */
const STRING_BEGINS_7BIT = new Set('PX]^_');
const STRING_BEGINS_8BIT = new Set([0x90, 0x98, 0x9d, 0x9e, 0x9f]);
/** They turn the direction of the text around them, or are not seen: shown by their numbers. */
const INVISIBLE = /[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const SGR = /^[\d;:]{0,60}$/;

/** Colors stay, as `ESC [ … m`; all else that is no text goes. */
export function withColors(text: string): string {
  if (!needsWork(text)) return text;
  let out = '';
  let from = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (!isControl(code)) {
      at += 1;
      continue;
    }
    out += text.slice(from, at);
    const { end, kept } = code === ESC || (code >= 0x80 && code <= 0x9f) ? sequence(text, at) : { end: at + 1, kept: code === 0x09 ? '  ' : '' };
    // A carriage return begins the line again, as progress bars do it.
    if (code === 0x0d && at + 1 < text.length) out = '';
    out += kept;
    at = end;
    from = end;
  }
  return (out + text.slice(from)).replaceAll(INVISIBLE, (sign) => `⟨U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

/** Without colors, too: what is searched, copied and downloaded. */
export function withoutColors(cleaned: string): string {
  return cleaned.includes('\x1b') ? cleaned.replaceAll(/\x1b\[[\d;:]{0,60}m/g, '') : cleaned;
}

const isControl = (code: number): boolean => code < 0x20 || (code >= 0x7f && code <= 0x9f);
const needsWork = (text: string): boolean => /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/.test(text);

function sequence(text: string, at: number): { end: number; kept: string } {
  const code = text.charCodeAt(at);
  const next = text[at + 1] ?? '';
  if (code === CSI) return control(text, at + 1);
  if (code === ESC && next === '[') return control(text, at + 2);
  if (STRING_BEGINS_8BIT.has(code)) return { end: stringEnd(text, at + 1), kept: '' };
  if (code === ESC && STRING_BEGINS_7BIT.has(next)) return { end: stringEnd(text, at + 2), kept: '' };
  // Two or three characters, as for character sets; of 8 bits one.
  if (code !== ESC) return { end: at + 1, kept: '' };
  return { end: Math.min(text.length, at + (/[ -/]/.test(next) ? 3 : 2)), kept: '' };
}

/** From the first parameter to the final character. */
function control(text: string, start: number): { end: number; kept: string } {
  let end = start;
  while (end < text.length && text.charCodeAt(end) >= 0x20 && text.charCodeAt(end) <= 0x3f) end += 1;
  const final = text[end] ?? '';
  const parameters = text.slice(start, end);
  const color = final === 'm' && SGR.test(parameters) ? `\x1b[${parameters}m` : '';
  // What cannot end a sequence is read again as text.
  return { end: final !== '' && final >= '@' && final <= '~' ? end + 1 : end, kept: color };
}

/** After BEL or ST; a string without an end takes the rest of the line. */
function stringEnd(text: string, start: number): number {
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BEL || code === 0x9c) return at + 1;
    if (code === ESC && text[at + 1] === '\\') return at + 2;
  }
  return text.length;
}
