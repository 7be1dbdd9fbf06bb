// Connections that nobody has accepted yet, as source for the watchdog's thread: the process that blocks does
// not know that others wait, the kernel does.

/**
 * Evaluates to a function: whether a connection waits at an address, which is the path of a unix socket or a
 * port. On Linux only; elsewhere none is seen.
 */
export const BACKLOG = `(() => {
const { readFileSync } = require('node:fs');
const rows = (file) => {
  try {
    return readFileSync(file, 'utf8').split('\\n').slice(1).map((line) => line.trim().split(/\\s+/));
  } catch {
    return [];
  }
};
// proc_net_unix: the state of a connection whose other end was not accepted is 02 (connecting).
const atPath = (path) => rows('/proc/net/unix').some((row) => row[7] === path && row[5] === '02');
// proc_net_tcp: of a socket that listens (0A) the second queue is the number of connections to accept.
const atPort = (port) => ['/proc/net/tcp', '/proc/net/tcp6'].some((file) =>
  rows(file).some((row) => row[3] === '0A' && parseInt(row[1].split(':')[1], 16) === port && parseInt(row[4].split(':')[1], 16) > 0));
return (address) => (typeof address === 'string' ? atPath(address) : atPort(address));
})()`;
