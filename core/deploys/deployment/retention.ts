/** Images of deployments before the live one are kept, so that going back is quick: so many of each agent. */
export const keepSuperseded = 1;
