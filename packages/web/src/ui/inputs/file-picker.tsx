/** Chooses files by button or drag and drop, and lists them. The input itself is hidden, because its text is the browser's. */
import './file-picker.css';
import { type ReactNode, useId, useState } from 'react';
import { classNames } from '../words/class-names.ts';

export interface FilePickerProps {
  readonly label: ReactNode;
  readonly hint: string;
  readonly accept: string;
  readonly onFiles: (files: readonly File[]) => void;
  readonly multiple?: boolean;
  /** Why no file can be chosen now. */
  readonly busy?: string | undefined;
}

export function FilePicker({ label, hint, accept, onFiles, multiple = false, busy }: FilePickerProps) {
  const id = useId();
  const [over, setOver] = useState(false);
  const take = (files: readonly File[]): void => {
    if (files.length > 0 && busy === undefined) onFiles(multiple ? files : files.slice(0, 1));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is an extra; the field inside does the same by keyboard
    <div
      className={classNames('file-drop', over && 'over')}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take([...event.dataTransfer.files]);
      }}
    >
      <input
        id={id}
        className="visually-hidden"
        type="file"
        multiple={multiple}
        accept={accept}
        aria-describedby={`${id}-hint`}
        disabled={busy !== undefined}
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          event.target.value = '';
          take(files);
        }}
      />
      <label htmlFor={id}>
        <span>{label}</span>
        <span className="button">{busy ?? (multiple ? 'Choose files' : 'Choose a file')}</span>
      </label>
      <p className="hint" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  );
}

export interface ChosenFile {
  readonly key: string | number;
  readonly name: string;
  /** Size, progress, or the problem. */
  readonly state: string;
  readonly failed?: boolean;
  /** The part sent so far, from 0 to 1, during the upload. */
  readonly sent?: number | undefined;
  readonly onRemove: () => void;
}

export function ChosenFiles({ files }: { readonly files: readonly ChosenFile[] }) {
  if (files.length === 0) return null;
  return (
    <ul className="ledger chosen-files">
      {files.map(({ key, name, state, failed, sent, onRemove }) => (
        <li key={key} className={failed === true ? 'failed' : undefined}>
          <span className="name">{name}</span>
          <span className="meta" role="status">
            {state}
          </span>
          <button className="link-button" type="button" onClick={onRemove} aria-label={`Remove ${name}`}>
            Remove
          </button>
          {sent === undefined ? null : <progress max={1} value={sent} aria-label={`${name} sent`} />}
        </li>
      ))}
    </ul>
  );
}
