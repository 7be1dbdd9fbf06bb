// Takes out of texts what names or reaches a person: e-mail addresses, telephone numbers, card numbers and
// IBANs. Only by shape and check digits: names of people and addresses of houses stay. Linear in the length
// of the text.
import { isRawNumber } from '#contract/wire/exact-json.ts';

const EMAIL = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu;
const IBAN = /\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){11,30}(?![A-Z0-9])/gi;
const CARD = /(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d.]*\d)/g;
/**
 * With a country's code; or groups of digits as they are written in North America, or after a leading zero.
 */
const PHONE = /(?<![\w+]|\d[ .-])(?:\+\d(?:[ ()./-]{0,3}\d){7,14}|\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}|\(?0\d{1,5}\)?[ /-]\d(?:[ -]?\d){4,10})(?!\w|[ .-]\d)/g;
/** Pictures and sounds: what in them looks like a number is none. */
const ENCODED = /^(?:data:[\w.+/-]{1,100}[;,]|[A-Za-z0-9+/_-]{256,}={0,2}$)/;

/** RFC 9562: the digits of some ids would pass for a card's number. */
const UUID = /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/i;

export function redactText(text: string): string {
  if (ENCODED.test(text)) return text;
  // Every second part is an id.
  return text
    .split(UUID)
    .map((part, at) => (at % 2 === 0 ? redactPlain(part) : part))
    .join('');
}

function redactPlain(text: string): string {
  return text
    .replace(EMAIL, '[e-mail]')
    .replace(IBAN, (found) => withoutTail(found, isIban, '[iban]'))
    .replace(CARD, (found) => (isCard(found) ? '[card]' : found))
    .replace(PHONE, '[phone]');
}

/** The same in every text of a JSON value; the names of its members stay. */
export function redactValue(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value);
  if (Array.isArray(value)) return value.map(redactValue);
  if (isRawNumber(value)) return value;
  if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, redactValue(member)]));
  return value;
}

/** What follows an IBAN may look like a part of it: the longest beginning that is one goes. */
function withoutTail(found: string, is: (text: string) => boolean, shown: string): string {
  for (let end = found.length; end >= 15; end -= 1) {
    if (/[A-Z0-9]/i.test(found[end - 1] ?? '') && !/[A-Z0-9]/i.test(found[end] ?? '') && is(found.slice(0, end))) return shown + found.slice(end);
  }
  return found;
}

/** ISO 13616: the remainder by 97 is 1. */
function isIban(text: string): boolean {
  const plain = text.replaceAll(/[ -]/g, '').toUpperCase();
  if (plain.length < 15 || plain.length > 34) return false;
  let rest = 0;
  for (const char of plain.slice(4) + plain.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

/** ISO/IEC 7812: the sum of Luhn. */
function isCard(text: string): boolean {
  const digits = Array.from(text.replaceAll(/\D/g, ''), Number).toReversed();
  if (new Set(digits).size === 1) return false;
  const sum = digits.reduce((total, digit, at) => total + (at % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2), 0);
  return sum % 10 === 0;
}
