import { Popover } from '@mantine/core';
import { cloneElement } from 'react';
import type { OpensBoxProps } from './opens.tsx';
import { useOpenedFrom } from './use-opened-from.ts';

export function OpenedBox({ button, width, children }: OpensBoxProps) {
  const { ref, isOpen, setOpen } = useOpenedFrom();
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" width={width} shadow="md" trapFocus returnFocus withinPortal>
      <Popover.Target>{cloneElement(button, { ref, onClick: () => setOpen(!isOpen) })}</Popover.Target>
      <Popover.Dropdown>{typeof children === 'function' ? children(() => setOpen(false)) : children}</Popover.Dropdown>
    </Popover>
  );
}
