// Values of the API that are words of the platform, such as states and kinds, as a reader reads them.

/** In another language the build fills it in (web/build/words/): "awaiting secret" by its translation. */
const WORDS: Readonly<Record<string, string>> = {};

const spaced = (value: string): string => value.replaceAll('_', ' ');

/** "awaiting_secret" → "awaiting secret". @param inEnglish how else it is written in English */
export function inWords(value: string, inEnglish = spaced): string {
  return WORDS[spaced(value)] ?? inEnglish(value);
}

export const capitalized = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
