/** Choosing files, by button or by dropping them, and watching them leave. */
import './file-list.css';
import { useId, useState } from 'react';
import { classNames, formatBytes } from '../../ui/index.ts';
import { ACCEPTED, type PendingFile, type Uploads } from './use-uploads.ts';

export function FileList({ label, hint, uploads }: { readonly label: string; readonly hint?: string; readonly uploads: Uploads }) {
  const id = useId();
  const [over, setOver] = useState(false);
  return (
    <div className="filelist">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is an extra; the field inside does the same by keyboard */}
      <div
        className={classNames('filedrop', over && 'over')}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          uploads.add(event.dataTransfer.files);
        }}
      >
        <label htmlFor={id}>{label}</label>
        <input
          id={id}
          type="file"
          multiple
          accept={ACCEPTED}
          aria-describedby={`${id}-hint`}
          onChange={(event) => {
            uploads.add([...(event.target.files ?? [])]);
            event.target.value = '';
          }}
        />
        <p className="hint" id={`${id}-hint`}>
          {hint ?? 'Or drop them here. Images, videos, PDF, ZIP and text, up to 50 MB each.'}
        </p>
      </div>
      {uploads.files.length === 0 ? null : (
        <ul className="led">
          {uploads.files.map((file) => (
            <li key={file.id} className={file.problem === undefined ? undefined : 'failed'}>
              <span className="name">{file.name}</span>
              <span className="meta" role="status">
                {stateOf(file)}
              </span>
              <button className="linkish" type="button" onClick={() => uploads.remove(file.id)} aria-label={`Remove ${file.name}`}>
                Remove
              </button>
              {file.uploaded === undefined && file.problem === undefined ? (
                <progress max={1} value={file.sent} aria-label={`${file.name} sent`} />
              ) : null}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function stateOf({ problem, uploaded, sent, size }: PendingFile): string {
  if (problem !== undefined) return problem;
  if (uploaded !== undefined) return `${uploaded.media_type}, ${formatBytes(uploaded.size_bytes)}`;
  return sent === 0 ? `waiting, ${formatBytes(size)}` : sent < 1 ? `${Math.floor(sent * 100)}% of ${formatBytes(size)}` : 'being checked';
}
