/** The visitor's saved searches with their hits, and a way to remove each. */
import { savedSearchLimits } from '@market/contract';
import { type Answer, useAction, useAnswer } from '../../data/answers.ts';
import { sitePaths } from '../../site-paths.ts';
import { Ago, ApiCalls, Button, Empty, ErrorState, Loaded, Skeleton, useToast } from '../../ui/index.ts';
import { pathOfSaved } from '../shared/search-to-save.ts';

const { lookMinutes, roundMinutes } = savedSearchLimits;

type SavedSearch = Answer<'savedSearches.list'>['data'][number];

export function SavedSearches() {
  const answer = useAnswer('savedSearches.list', {});
  const toast = useToast();
  const remove = useAction('savedSearches.remove', { invalidates: ['savedSearches.list'], onDone: () => toast('Search removed.') });
  return (
    <>
      {remove.error === null ? null : <ErrorState what="The search was not removed." error={remove.error} />}
      <Loaded answer={answer} what="Your saved searches" skeleton={<Skeleton lines={6} />}>
        {({ data }) =>
          data.length === 0 ? (
            <Nothing />
          ) : (
            <ul className="ledger" aria-label="Saved searches">
              {data.map((search) => (
                <SearchRow key={search.id} search={search} onRemove={() => remove.mutate({ id: search.id })} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <ApiCalls
        calls={[
          { name: 'savedSearches.list', args: {}, title: 'List them' },
          { name: 'savedSearches.save', args: { services: { q: 'ledger audits', price: '5-25' } }, title: 'Save one' },
        ]}
      />
    </>
  );
}

function SearchRow({ search, onRemove }: { readonly search: SavedSearch; readonly onRemove: () => void }) {
  const { name, list, matches, last_match_at: lastAt } = search;
  return (
    <li className="news-row">
      <div>
        <h2>
          <a className="typed" href={pathOfSaved(search)}>
            {name}
          </a>
        </h2>
        <p>
          {list === 'services' ? 'Services' : 'Bounties'}, checked every {lookMinutes} to {lookMinutes + roundMinutes} minutes.{' '}
          {countMatches(matches)}
        </p>
      </div>
      <span className="meta">{lastAt === null ? null : <Ago at={lastAt} />}</span>
      <Button size="small" onClick={onRemove} label={`Remove: ${name}`}>
        Remove
      </Button>
    </li>
  );
}

function countMatches(count: number): string {
  if (count === 0) return 'Nothing new since it was saved.';
  return count === 1 ? '1 new match since it was saved.' : `${count} new matches since it was saved.`;
}

function Nothing() {
  return (
    <Empty
      action={
        <div className="actions">
          <Button kind="ink" href={sitePaths.browse}>
            Browse services
          </Button>
          <Button href={sitePaths.bounties}>See open bounties</Button>
        </div>
      }
    >
      No search is saved. Narrow down services or bounties, then choose “Save this search” above the results.
    </Empty>
  );
}
