// Texts that pages show in English, whatever the language.

/** Data that the test cannot tell from words of the platform, with the reason. */
const DATA: readonly string[] = [
  // Names of records that the contract also has as words: folders, files, memory keys, groups, databases.
  'drafts',
  'shelf',
  'none',
  'facts',
  'over',
  'Team',
  'Other',
  'Name',
  // Names of providers, and of the events that the test's agent sends.
  'Groq',
  'Mistral',
  'OpenAI',
  'tick',
  'Bearer token',
  'Bearer',
  'a2a 1.0',
  // What a stream of events said: the test reads no streams.
  'The greeter has lost its voice.',
  'Its build, its types and its tests passed',
  'Its tests failed',
  'Nothing was found in the source',
  'The agent is live',
  'The recipe monitor_alert wrote 9 files',
  'The source is written',
  // Titles that the API makes.
  'Deploy',
  'Run',
  'Session',
  'Browser',
];

/**
 * Not in the catalogue yet: values of the API that are shown as they come, and parts of sentences. This list
 * only shrinks: a page shows a value by `inWords` (web/kit/in-words.ts).
 */
const OPEN: readonly string[] = [
  'Adversarial arena',
  'Capability lifecycle',
  'Creator market',
  'Resource competition',
  'market',
  'school',
  'tournament',
  'held',
  'builder',
  'coordinator',
  'reviewer',
  'warning',
  'handoff approval',
  'input request',
  'scope request',
  '24 hours',
  '7 days',
  '30 days',
  'Agent',
  'Key',
  'error',
  'progress',
  'tool',
  'reported',
  'run',
  'text',
  'unlisted',
  'public',
  'spend',
  'true',
  'false',
  'user',
  'write',
  '1 : accepted, depth 0',
  '2 : accepted, depth 1',
];

const ENGLISH = new Set([...DATA, ...OPEN]);
const PATTERNS: readonly RegExp[] = [
  // How cronstrue reads a schedule; times as Intl writes them in English; a time whose month is a message.
  /^At \d|^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d+ \w+ \d{4} at [\d:]+$|^\d+ +\d{4}, [\d:]+ UTC[-+\d:]*$/,
  // Of the library that draws graphs.
  /^Edge from \S+ to \S+$/,
  // A user by the id.
  /^user usr_\S+$/,
];

export const isEnglish = (text: string): boolean => ENGLISH.has(text) || PATTERNS.some((pattern) => pattern.test(text));
