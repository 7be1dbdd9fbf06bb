// What each exit code of the tool means; scripts may rely on them.

export const EXIT = {
  ok: 0,
  /** It was refused or went wrong: a failed build, a bad signature, an agent's error. */
  failure: 1,
  /** The command line itself is wrong. */
  usage: 2,
  /** There is no sign-in, or it has expired. */
  notSignedIn: 3,
  /** The control plane or the identity provider does not answer. */
  unreachable: 4,
  /** The run waits for an answer, and the command may not ask for it (--no-input). */
  waiting: 5,
  /** Ctrl-C. */
  interrupted: 130,
  /** SIGTERM. */
  terminated: 143,
} as const;
