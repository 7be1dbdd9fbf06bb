// Whether an error says that the database is away for a moment: starting, stopping, unreachable. That is not
// a defect of ours, and asking again helps.

/**
 * PostgreSQL's own codes: a connection that failed or broke (class 08), a server that ends or starts (57P01
 * to 57P03), too many connections.
 */
const sqlState = /^(?:08...|57P0[123]|53300)$/;
const system = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTCONN']);
/** What the driver says without a code when the server goes away under it. */
const words = /Connection terminated|Client has encountered a connection error|server closed the connection|Connection ended unexpectedly/i;

export function isOutage(error: unknown): boolean {
  for (let now: unknown = error, depth = 0; now instanceof Error && depth < 5; now = now.cause, depth += 1) {
    const code = 'code' in now && typeof now.code === 'string' ? now.code : '';
    if (sqlState.test(code) || now.name === 'KnexTimeoutError' || words.test(now.message)) return true;
    if (system.has(code) && 'syscall' in now && (now.syscall === 'connect' || now.syscall === 'read' || now.syscall === 'write')) return true;
  }
  return false;
}
