// Which strings of the source a reader of the page sees, where the syntax does not say it: by the name of the
// attribute or the property, else by how the string looks. What this decides wrongly is corrected in the
// source by a comment before it: "// words: shown" or "// words: code".

const setOf = (names: string): ReadonlySet<string> => new Set(names.trim().split(/\s+/));

/** Attributes and properties whose strings are shown: every string in them is a message. */
const SHOWN = setOf(`
  title label placeholder alt aria-label aria-description aria-roledescription aria-valuetext data-hint lead description
  data-head hint question empty not done head cell text error summary legend help children nothingFoundMessage confirm says note
  caption heading beside actions action before after unit words submit send fallback tooltip message
`);
/** Attributes and properties that hold code: nothing in them is a message. */
const CODE = setOf(`
  className style styles classNames key id href src type role rel target component variant color c command queryKey accept pattern htmlFor autoComplete
  inputMode method path at d viewBox transform fill stroke ff lang sandbox allow aria-labelledby aria-describedby aria-controls headers import sizes padding margin gridTemplateColumns also
`);
/** Elements whose text is code. */
const CODE_ELEMENTS = new Set(['code', 'kbd', 'pre', 'samp', 'style', 'script', 'Code', 'Kbd']);
/** Functions whose strings are code: they look something up, or name something of the browser. */
const CODE_CALLS = setOf(`
  getRouteApi createRoute lazyPage querySelector querySelectorAll closest matches matchMedia getElementById
  addEventListener removeEventListener includes startsWith endsWith indexOf split has get set getItem setItem removeItem
  setAttribute getAttribute removeAttribute useHotkey replace replaceAll test exec RegExp URL Headers require
  createElement setProperty getPropertyValue define Symbol useRead usePages log warn
`);

const WORD = /\p{L}{2}/u;
/** What reads as code where nothing says that it is shown. */
const CODE_LOOKS: readonly RegExp[] = [
  // Commands, addresses, paths, selectors.
  /^(?:svc |curl |npx |npm |git |https?:|virtual:|[/#.@&?]|data:)/,
  // One word without spaces that is no word; a path; assignments.
  /^[\w.:/-]+$|^\S+\/\S+$|[{};]\s*$|^\w+=|\$\{|^[a-z-]+: /,
  // Styles.
  /^(?:var\(|calc\(|rgb|--)|(?:^|\s)(?:\d+(?:\.\d+)?(?:px|rem|em|fr|vh|vw|ch|%)|minmax\()/,
];

/** Wherever they stand: commands, headers of curl, colors, fonts, Python. */
const COMMANDS: readonly RegExp[] = [
  /^(?:svc|curl|npx|npm|rsync|scp|ssh|git clone|tar|code --remote\S*|export|import) (?!and|or)/,
  /^-H |^Bearer |^#[0-9a-f]{6}$|^\\\n|, sans-serif$|, monospace$/,
];

/** `facts`: shown, and so are the names of its members. */
export type Reading = 'shown' | 'facts' | 'code' | 'look';

export function readingOf(name: string): Reading {
  if (SHOWN.has(name)) return 'shown';
  return CODE.has(name) ? 'code' : 'look';
}

export const isCommand = (text: string): boolean => COMMANDS.some((pattern) => pattern.test(text));

export const isCodeElement = (name: string): boolean => CODE_ELEMENTS.has(name);
export const isCodeCall = (name: string): boolean => CODE_CALLS.has(name);

/** In the place of a value. */
export const VALUE = '¤';

/** @param text with VALUE in the place of values */
export function looksLikeWords(text: string): boolean {
  const bare = text.trim();
  if (!WORD.test(bare)) return false;
  if (/^\p{Lu}\p{Ll}+$/u.test(bare)) return true;
  if (CODE_LOOKS.some((pattern) => pattern.test(bare))) return false;
  return /[\p{L}¤][,;:.!?…"')]* \(?["']?\p{L}|\p{L}[,;:.!?…"')]* \(?["']?[\p{L}¤]/u.test(bare) || /^\p{Lu}.*\p{L}{2}[.…!?:]$/u.test(bare);
}
