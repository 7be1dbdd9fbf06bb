import { Menu } from '@mantine/core';
import { cloneElement } from 'react';
import type { OpensMenuProps } from './opens.tsx';
import { useOpenedFrom } from './use-opened-from.ts';

export function OpenedMenu({ button, head, items, width }: OpensMenuProps) {
  const { ref, isOpen, setOpen } = useOpenedFrom();
  return (
    <Menu position="bottom-end" {...(width !== undefined && { width })} opened={isOpen} onChange={setOpen}>
      <Menu.Target>{cloneElement(button, { ref })}</Menu.Target>
      <Menu.Dropdown>
        {head !== undefined && <Menu.Label style={{ overflowWrap: 'anywhere' }}>{head}</Menu.Label>}
        {items.map(({ label, icon, onAct }) => (
          <Menu.Item key={label} leftSection={icon} onClick={onAct}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
