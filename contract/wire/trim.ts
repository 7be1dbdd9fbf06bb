// Characters taken from the ends of a text, in time proportional to its length. A regular expression such as
// /=+$/ tries again at each character of a long row that does not reach the end, which takes the square of
// it.

/** @param characters any of these */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

export function withoutEnds(text: string, characters: string): string {
  const cut = withoutEnd(text, characters);
  let start = 0;
  while (start < cut.length && characters.includes(cut.charAt(start))) start += 1;
  return cut.slice(start);
}
