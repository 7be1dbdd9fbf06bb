/** `71 %`, of a share of 0 to 1. */
export const percent = (share: number): string => `${Math.round(share * 100)} %`;
