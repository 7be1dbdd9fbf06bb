// Media types of bodies: which of several is used, and what of it is sent.

/** The lower, the more its schema says of what is sent. */
export function rank(type: string): number {
  if (/^application\/json\b/i.test(type)) return 0;
  if (/\+json\b/i.test(type)) return 1;
  if (/^application\/x-www-form-urlencoded/i.test(type)) return 2;
  if (/^multipart\//i.test(type)) return 3;
  if (/^(?:\*\/\*|application\/\*)/.test(type)) return 3;
  if (/^text\//i.test(type)) return 4;
  return /xml/i.test(type) ? 5 : 6;
}

/**
 * With its parameters, which may say a version; but what is sent is in UTF-8, and has a boundary of its own.
 */
export function sent(type: string): string {
  const [name = '', ...parameters] = type.split(';').map((piece) => piece.trim());
  const sentParameters = parameters.filter(
    (one) => /^[\w!#$%&'*+.^`|~-]+=[\x20-\x7e]+$/.test(one) && !/^boundary=/i.test(one) && !/^charset=(?!"?utf-?8)/i.test(one),
  );
  return [name, ...sentParameters].join(';');
}
