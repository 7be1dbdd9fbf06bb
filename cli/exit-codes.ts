// What each exit code of the tool means; scripts may rely on them.

export const EXIT = {
  ok: 0,
  /** It was refused or went wrong: a failed build, a bad signature, an agent's error. */
  failure: 1,
  /** The command line itself is wrong. */
  usage: 2,
  /** Nobody is signed in, or the sign-in is over. */
  notSignedIn: 3,
  /** The control plane or the identity provider does not answer. */
  unreachable: 4,
  /** The run waits for a person, and nobody was to be asked (--no-input). */
  waiting: 5,
  /** Ctrl-C. */
  interrupted: 130,
} as const;
