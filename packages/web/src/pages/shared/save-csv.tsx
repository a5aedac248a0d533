import { useState } from 'react';
import { Button } from '../../ui/index.ts';

/** Saves an answer as a file. `path` is a URL of the API that also answers `text/csv`. */
export function SaveCsv({ path, name }: { readonly path: string; readonly name: string }) {
  const [failed, setFailed] = useState(false);
  const save = async () => {
    const answer = await fetch(path, { headers: { accept: 'text/csv' } }).catch(() => undefined);
    setFailed(answer?.ok !== true);
    if (answer?.ok !== true) return;
    const url = URL.createObjectURL(await answer.blob());
    const link = document.createElement('a');
    link.href = url;
    link.download = `${name}.csv`;
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <div className="actions">
      <Button onClick={() => void save()}>Save as CSV</Button>
      {failed ? <span className="note">The file could not be made. Try again in a moment.</span> : null}
    </div>
  );
}
