/** Part of a statement that commits by itself: it does not wait for the disk. What it wrote outlives this process, not a breakdown of the database. */
export const QUICK_COMMIT = `set_config('synchronous_commit', 'off', true)`;
