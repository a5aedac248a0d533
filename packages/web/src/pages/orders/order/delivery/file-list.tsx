/** Files being uploaded: choose, watch progress, remove. */
import { ChosenFiles, FilePicker, formatBytes } from '../../../../ui/index.ts';
import { ACCEPTED, type PendingFile, type Uploads } from './use-uploads.ts';

const HINT = 'Or drop them here. Images, videos, PDF, ZIP and text, up to 50 MB each.';

interface FileListProps {
  readonly label: string;
  readonly hint?: string;
  readonly accept?: string;
  /** One file at a time. */
  readonly single?: true;
  readonly uploads: Uploads;
}

export function FileList({ label, hint = HINT, accept = ACCEPTED, single, uploads }: FileListProps) {
  return (
    <div className="stack">
      <FilePicker label={label} hint={hint} accept={accept} multiple={single !== true} onFiles={uploads.add} />
      <ChosenFiles
        files={uploads.files.map((file) => ({
          key: file.id,
          name: file.name,
          state: stateOf(file),
          failed: file.problem !== undefined,
          sent: file.uploaded === undefined && file.problem === undefined ? file.sent : undefined,
          onRemove: () => uploads.remove(file.id),
        }))}
      />
    </div>
  );
}

function stateOf({ problem, uploaded, sent, size }: PendingFile): string {
  if (problem !== undefined) return problem;
  if (uploaded !== undefined) return `${uploaded.media_type}, ${formatBytes(uploaded.size_bytes)}`;
  return sent === 0 ? `waiting, ${formatBytes(size)}` : sent < 1 ? `${Math.floor(sent * 100)}% of ${formatBytes(size)}` : 'being checked';
}
