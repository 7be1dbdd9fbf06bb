// Takes files and folders that are dropped anywhere on the page; the buttons are for who does not drag.
import { Button, FileButton, Group } from '@mantine/core';
import { IconFolderUp, IconUpload } from '@tabler/icons-react';
import { useRef, useState, type DragEvent, type ReactNode } from 'react';
import { chosenIn, droppedIn, type Chosen } from '../../kit/dropped.ts';
import styles from './files.module.css';

export function DropArea({ onFiles, children }: { onFiles: (files: Chosen[]) => void; children: ReactNode }) {
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    void droppedIn(event.dataTransfer).then(onFiles);
  };
  return (
    <div
      className={styles.area}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => event.currentTarget.contains(event.relatedTarget as Node | null) || setOver(false)}
      onDrop={drop}
    >
      {children}
    </div>
  );
}

export function UploadButtons({ onFiles }: { onFiles: (files: Chosen[]) => void }) {
  const folder = useRef<HTMLInputElement>(null);
  return (
    <Group gap="xs">
      <FileButton multiple onChange={(files) => onFiles(files.map((file) => ({ relative: file.name, file })))}>
        {(props) => (
          <Button {...props} leftSection={<IconUpload size={16} />}>
            Upload files
          </Button>
        )}
      </FileButton>
      <Button variant="default" leftSection={<IconFolderUp size={16} />} onClick={() => folder.current?.click()}>
        Upload a folder
      </Button>
      <input
        ref={folder}
        type="file"
        hidden
        aria-label="Folder"
        {...{ webkitdirectory: '' }}
        onChange={(event) => {
          onFiles(chosenIn(event.currentTarget.files));
          event.currentTarget.value = '';
        }}
      />
    </Group>
  );
}
