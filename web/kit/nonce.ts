/**
 * What style elements that a library makes carry: the server allows no others. Empty where nothing asks for
 * one.
 */
export const styleNonce = (): string => document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
