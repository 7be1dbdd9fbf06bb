// OCI names that are answered by an image of this host instead of a registry: one Debian bookworm with Python
// 3.11 and Node 24 is all of them.
import type { Images } from './images.ts';

const names = ['python:3.11-slim', 'python:3.11', 'python:3.11-bookworm', 'python:3.11-slim-bookworm', 'node:24-slim', 'node:24', 'node:24-bookworm-slim', 'debian:bookworm-slim', 'debian:bookworm', 'debian:12-slim', 'debian:12'] as const; // prettier-ignore

/** Path of the base disk by every name it answers to. */
export function localImages(images: Pick<Images, 'base'>): ReadonlyMap<string, string> {
  return new Map(names.map((name) => [name, images.base]));
}

/** `docker.io/library/python:3.11` and `python:3.11` are the same image. */
export function shortName(reference: string): string {
  return reference.replace(/^(?:(?:index\.)?docker\.io\/)?(?:library\/)?/, '');
}
