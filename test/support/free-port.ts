// The stack's own search for a free port: one that no outgoing connection is given meanwhile.
export { freePort } from '#stack/ports.ts';
