// Whether the database has the schema that this program expects, for the API's readiness: what imports db/ is
// core.
export { pendingMigrations } from '#db/migrate.ts';
