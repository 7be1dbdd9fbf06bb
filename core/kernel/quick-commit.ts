/**
 * Part of a statement that commits on its own: it does not wait for the disk. Its data survive a crash of
 * this process, but not of the database.
 */
export const QUICK_COMMIT = `set_config('synchronous_commit', 'off', true)`;
