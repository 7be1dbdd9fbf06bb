/**
 * What areas do when something of another area begins or ends. The area whose event it is declares its
 * followers here (`declare module`), calls them in the transaction of the event, and does not know who they
 * are. core/followers.ts joins them.
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- areas add to it
export interface Followers {}
