/** Search results: services and agents in pages; agents and bounties by words as the best hits of all. */
import { type Answer, useAnswer } from '../../data/answers.ts';
import { sitePaths } from '../../site-paths.ts';
import { Button, Empty, formatCount, Loaded, Skeleton, useVisitor } from '../../ui/index.ts';
import { AgentRow } from '../shared/agent-row.tsx';
import { PagedRows } from '../shared/paging.tsx';
import { ServiceRow } from '../shared/service-row.tsx';
import { BountyHitRow } from './bounty-hit-row.tsx';
import {
  addressOf,
  agentArguments,
  type BrowseFilters,
  everythingArguments,
  PAGE_SIZE,
  readFilters,
  serviceArguments,
} from './browse-filters.ts';
import { CompareLink } from './compare-link.tsx';

interface ResultsProps {
  readonly filters: BrowseFilters;
}

export function ServiceResults({ filters }: ResultsProps) {
  const answer = useAnswer('search.services', serviceArguments(filters), { keepPrevious: true });
  return (
    <Loaded answer={answer} what="The services" skeleton={<Skeleton lines={12} />}>
      {({ data: { hits, corrections }, total, total_capped, next_cursor }) => (
        <>
          <Corrections corrections={corrections} />
          <PagedRows
            {...pagesOf(filters)}
            rows={hits.map(({ service, presence, sample_url }) => (
              <ServiceRow
                key={service.id}
                service={service}
                presence={presence}
                sampleUrl={sample_url}
                action={<CompareLink service={service} filters={filters} />}
              />
            ))}
            nothing={<Nothing filters={filters} what="service" />}
            total={total}
            isCapped={total_capped}
            hasNext={next_cursor !== null || hasMore(filters, hits.length, total, total_capped)}
            what={['service', 'services']}
          />
        </>
      )}
    </Loaded>
  );
}

function pagesOf(filters: BrowseFilters) {
  return { page: filters.page, size: PAGE_SIZE, addressOf: (page: number) => addressOf(filters, { page }) };
}

/** True if another page follows; `relevance` gives no cursor. */
function hasMore({ page }: BrowseFilters, shown: number, total: number, isCapped: boolean): boolean {
  return shown === PAGE_SIZE && (isCapped || page * PAGE_SIZE < total);
}

export function AgentResults({ filters }: ResultsProps) {
  const answer = useAnswer('agents.list', agentArguments(filters), { keepPrevious: true });
  return (
    <Loaded answer={answer} what="The agents" skeleton={<Skeleton lines={12} />}>
      {({ data, total, next_cursor }) => (
        <PagedRows
          {...pagesOf(filters)}
          rows={data.map((agent) => <AgentRow key={agent.id} agent={agent} />)}
          nothing={<Nothing filters={filters} what="agent" />}
          total={total}
          hasNext={next_cursor !== null}
          what={['agent', 'agents']}
        />
      )}
    </Loaded>
  );
}

/** Agents or bounties by words. */
export function RankedResults({ filters }: ResultsProps) {
  const answer = useAnswer('search.everything', everythingArguments(filters), { keepPrevious: true });
  return (
    <Loaded answer={answer} what="What was found" skeleton={<Skeleton lines={12} />}>
      {({ data }) => (
        <>
          <Corrections corrections={data.corrections} />
          {filters.tab === 'agents' ? <RankedAgents filters={filters} found={data} /> : <RankedBounties filters={filters} found={data} />}
        </>
      )}
    </Loaded>
  );
}

interface RankedProps extends ResultsProps {
  readonly found: Answer<'search.everything'>['data'];
}

function RankedAgents({ filters, found: { agents, totals } }: RankedProps) {
  if (agents.length === 0) return <Nothing filters={filters} what="agent" />;
  return (
    <>
      <ul className="ledger rows">
        {agents.map(({ agent }) => (
          <AgentRow key={agent.id} agent={agent} />
        ))}
      </ul>
      <BestOf shown={agents.length} total={totals.agents} what={['agent', 'agents']} rest={addressOf(filters, { sort: 'popular' })} />
    </>
  );
}

function RankedBounties({ filters: { search }, found: { bounties, totals } }: RankedProps) {
  const board = `${sitePaths.bounties}?${new URLSearchParams({ search })}`;
  if (bounties.length === 0)
    return <Empty action={<Button href={sitePaths.bounties}>Show all bounties</Button>}>No open bounty fits “{search}”.</Empty>;
  return (
    <>
      <ul className="ledger rows">
        {bounties.map(({ bounty }) => (
          <BountyHitRow key={bounty.id} bounty={bounty} />
        ))}
      </ul>
      <BestOf shown={bounties.length} total={totals.bounties} what={['bounty', 'bounties']} rest={board} />
    </>
  );
}

type What = readonly [one: string, several: string];

interface BestOfProps {
  readonly shown: number;
  readonly total: number;
  readonly what: What;
  /** Link to the remaining hits. */
  readonly rest: string;
}

function BestOf({ shown, total, what, rest }: BestOfProps) {
  const { locale } = useVisitor();
  const all = `${formatCount(total, locale)} ${what[total === 1 ? 0 : 1]}`;
  return (
    <div className="more">
      <p className="meta" role="status">
        {shown < total ? `The best ${shown} of ${all}` : all}
      </p>
      {shown < total ? <Button href={rest}>Show all with exactly these words</Button> : null}
    </div>
  );
}

/** The corrected words of the search. */
function Corrections({ corrections }: Pick<Answer<'search.services'>['data'], 'corrections'>) {
  if (corrections.length === 0) return null;
  return (
    <p className="corrected" role="status">
      {corrections.map(({ word, read_as }) => (
        <span key={word}>
          No service uses “{word}”; showing {read_as.map((other) => `“${other}”`).join(' or ')}.{' '}
        </span>
      ))}
    </p>
  );
}

function Nothing({ filters, what }: ResultsProps & { readonly what: string }) {
  const all: BrowseFilters = { ...readFilters(new URLSearchParams()), tab: filters.tab };
  if (filters.page > 1)
    return <Empty action={<Button href={addressOf(filters)}>First page</Button>}>There is no page {filters.page} of these.</Empty>;
  return (
    <Empty action={<Button href={addressOf(all)}>Show all {what}s</Button>}>
      No {what} fits{filters.search === '' ? ' these filters' : ` “${filters.search}”`}. Fewer words or filters find more.
    </Empty>
  );
}
