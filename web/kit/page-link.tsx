import { Anchor, Badge, Button, type AnchorProps, type BadgeProps, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';

type Native = Omit<ComponentPropsWithRef<'a'>, keyof AnchorProps>;

/**
 * A link to a page of the dashboard: its address, parameters and query are checked against the existing
 * pages.
 */
export const PageLink = createLink((props: Omit<AnchorProps, 'href'> & Native) => <Anchor {...props} />);

/** The same in the shape of a button. */
export const ButtonLink = createLink((props: Omit<ButtonProps, 'href'> & Omit<ComponentPropsWithRef<'a'>, keyof ButtonProps>) => (
  <Button component="a" {...props} />
));

/** The same in the shape of a badge. */
export const BadgeLink = createLink((props: Omit<BadgeProps, 'href'> & Omit<ComponentPropsWithRef<'a'>, keyof BadgeProps>) => (
  <Badge component="a" {...props} />
));
