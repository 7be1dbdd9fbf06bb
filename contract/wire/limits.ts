// How much and how long, where several parts hold to it: the platform, and the SDK where it stands in for the
// platform on a laptop.

/**
 * Of the arguments of a call, and of its result, on every way in and out: as JSON text in UTF-8. What is
 * larger is a file.
 */
export const MAX_VALUE_BYTES = 8 * 1024 * 1024;
/** Of one event of a run: a result, and what stands around it. In characters. */
export const MAX_EVENT_LENGTH = MAX_VALUE_BYTES + 64 * 1024;
/** Characters of the key with which a call is sent again. */
export const MAX_IDEMPOTENCY_KEY = 255;
/** Of a project's source as it is uploaded, compressed. */
export const MAX_SOURCE_BYTES = 50 * 1024 * 1024;
/** Of all its files together. */
export const MAX_UNPACKED_SOURCE_BYTES = 100 * 1024 * 1024;
/** Its files and folders together. */
export const MAX_SOURCE_ENTRIES = 10_000;
/** Of one file of a workspace. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** Of one file that is uploaded in parts. */
export const MAX_UPLOAD_BYTES = 1024 * 1024 * 1024;
/** From then on a file is sent so by the dashboard and the command line. */
export const LARGE_FILE_BYTES = 16 * 1024 * 1024;
/** What of such an upload is kept at a time. */
export const MAX_PART_BYTES = 8 * 1024 * 1024;
/** Of one person's workspace. */
export const MAX_BUCKET_FILES = 20_000;
/** Of one artifact. */
export const MAX_ARTIFACT_BYTES = 32 * 1024 * 1024;
/** Of one value in an agent's memory, as JSON text in UTF-8. */
export const MAX_MEMORY_VALUE_BYTES = 256 * 1024;
/** Of one person at one agent. */
export const MAX_MEMORY_ENTRIES = 10_000;
/** Of one person at one agent. */
export const MAX_META_RUNS = 500;
/** Simulations and comparisons of one account, under way at the same time. */
export const MAX_OPEN_KERNEL_RUNS = 5;
/** Runs of the studio of one account under way. */
export const MAX_OPEN_STUDIO_RUNS = 5;
/** Contestants of one account that answer at the same time. */
export const MAX_OPEN_TRIAL_RUNS = 24;
export const MAX_TRIAL_ROOMS = 500;
/** A request for a wider grant that asks for longer is never approved without a person. */
export const AUTO_TTL_SECONDS = 300;
/** How long a person has to decide whether an agent may be called. */
export const HANDOFF_SECONDS = 24 * 3600;
/** How many agents deep calls may go: an agent calls another, which calls another … */
export const MAX_CALL_DEPTH = 8;
/** Characters of an agent's card, as JSON. */
export const MAX_CARD_LENGTH = 512 * 1024;
