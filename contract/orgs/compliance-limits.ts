/**
 * Days that contents are kept where nothing else is said, the most that can be said, and the least while the
 * EU AI Act is on.
 */
export const DEFAULT_RETENTION_DAYS = 180;
export const MAX_RETENTION_DAYS = 3650;
export const EU_RETENTION_DAYS = 180;
export const DEFAULT_EXPORT_RECORDS = 1000;
export const MAX_EXPORT_RECORDS = 5000;
/** The file of an export is kept so long. */
export const EXPORT_DAYS = 7;
/** An export that is not made by then fails. */
export const EXPORT_SECONDS = 600;
/** Of one organization at a time. */
export const MAX_OPEN_EXPORTS = 3;
