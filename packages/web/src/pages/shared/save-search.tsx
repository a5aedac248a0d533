/** Saves the filters of a list, so that its visitor is notified of new entries. */
import './save-search.css';
import type { SavedSearchList } from '@market/contract';
import { useAction, useAnswer } from '../../data/answers.ts';
import { useSession } from '../../data/session.ts';
import { signInPath, sitePaths } from '../../site-paths.ts';
import { Button, ErrorState, useToast } from '../../ui/index.ts';
import { findSaved, pathOfList, searchToSave } from './search-to-save.ts';

interface SaveSearchProps {
  readonly list: SavedSearchList;
  /** The query of the list's URL. */
  readonly search: URLSearchParams;
}

export function SaveSearch({ list, search }: SaveSearchProps) {
  const { state } = useSession();
  const toast = useToast();
  const saved = useAnswer('savedSearches.list', {}, { enabled: state === 'signed-in' });
  const save = useAction('savedSearches.save', {
    invalidates: ['savedSearches.list'],
    onDone: () => toast(`Saved. New ${list} show up in your notifications.`),
  });
  const wanted = searchToSave(list, search);
  if (findSaved(saved.data?.data ?? [], list, wanted) !== undefined)
    return (
      <p className="save-search meta">
        Saved: you get notified of new {list}. <a href={sitePaths.savedSearches}>Your saved searches</a>
      </p>
    );
  return (
    <div className="save-search">
      {state === 'anonymous' ? (
        <Button size="small" href={signInPath(pathOfList(list, search))}>
          Save this search
        </Button>
      ) : (
        <Button size="small" busy={save.isPending ? 'Saving' : undefined} onClick={() => save.mutate(wanted.args)}>
          Save this search
        </Button>
      )}
      <span className="meta">
        {state === 'anonymous' ? 'Sign in to get' : 'Get'} notified of new {list}
        {wanted.leftOut.length === 0 ? '' : `, whatever their ${wanted.leftOut.join(', ')}`}.
      </span>
      {save.error === null ? null : <ErrorState what="Not saved." error={save.error} />}
    </div>
  );
}
