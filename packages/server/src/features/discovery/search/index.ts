/** One box over agents, services and bounties: corrects typos, counts the values of each filter, explains scores. */
import type { OperationArguments, Operations, SearchFilters } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import type { Db } from '../../../platform/db/database.ts';
import { findSummaries, presentPresence } from '../../agents/index.ts';
import { type PortfolioContext, samplePictures } from '../../orders/portfolio/index.ts';
import {
  findServicesById,
  listFiltered,
  listNewlyListed,
  type Period,
  presentService,
  type ServiceRow,
  wordQuery,
  wordsOf,
} from '../../services/index.ts';
import { countFacets, type Facets } from './facets-repository.ts';
import { findMatches, findServices } from './matches-repository.ts';
import { findSignsOfLife } from './presence-repository.ts';
import { presentBounty, presentCorrections, presentFacets, presentScore, presentTotal, presentTotals, type ShownScore } from './present.ts';
import { findAgents, findBounties, findReadings, type Hits } from './repository.ts';
import type { Ranked } from './score-repository.ts';

type Asked = OperationArguments<Operations['search']['services']>;
type Readings = Awaited<ReturnType<typeof findReadings>>;

interface Query {
  /** Text of a word query. Null: no words, so all services. Undefined: the text contains no searchable word. */
  readonly words: string | null | undefined;
  readonly readings: Readings;
}

export function searchHandlers(context: PortfolioContext): HandlersOf<'search'> {
  const { db } = context.database;
  return {
    async everything({ q, each, explain }) {
      const { words, readings } = await readQuery(db, q);
      const corrections = presentCorrections(readings);
      if (words === undefined || words === null)
        return { data: { services: [], agents: [], bounties: [], totals: { services: 0, agents: 0, bounties: 0 }, corrections } };
      const score = (ranked: Ranked) => presentScore(ranked, explain === '1');
      const [services, agents, bounties] = await Promise.all([
        findServices(db, words, {}, { offset: 0, limit: each }),
        findAgents(db, words, each),
        findBounties(db, words, each),
      ]);
      return {
        data: {
          services: await showRanked(context, services.hits, score),
          agents: await showAgents(db, agents.hits, score),
          bounties: bounties.found.map((bounty) => presentBounty(bounty, explain === '1')),
          totals: presentTotals({ services, agents, bounties }),
          corrections,
        },
      };
    },

    async services(asked) {
      const { words, readings } = await readQuery(db, asked.q ?? '');
      const corrections = presentCorrections(readings);
      if (words === undefined) {
        return { data: { hits: [], facets: presentFacets(undefined), corrections }, total: 0, total_capped: false, next_cursor: null };
      }
      const { hits, facets, ...extras } = await (asked.sortBy === 'relevance'
        ? rankedPage(context, words, asked)
        : sortedPage(context, words, asked, asked.sortBy));
      return { data: { hits, facets: presentFacets(facets), corrections }, ...extras };
    },
  };
}

async function readQuery(db: Db, q: string): Promise<Query> {
  if (q === '') return { words: null, readings: new Map() };
  const readings = await findReadings(db, wordsOf(q));
  return { words: wordQuery(q, readings), readings };
}

async function rankedPage(context: PortfolioContext, words: string | null, asked: Asked) {
  const { found, facets } = await rankAndCount(context.database.db, words, asked);
  const hits = await showRanked(context, found.hits, (ranked) => presentScore(ranked, asked.explain === '1'));
  return { hits, facets, ...presentTotal(found.counted), next_cursor: null };
}

async function rankAndCount(db: Db, words: string | null, asked: Asked): Promise<{ readonly found: Hits; readonly facets: Facets }> {
  if (words !== null) return await findMatches(db, words, asked, asked);
  const [found, facets] = await Promise.all([findServices(db, null, asked, asked), countFacets(db, null, asked)]);
  return { found, facets };
}

async function sortedPage(context: PortfolioContext, words: string | null, asked: Asked, sortBy: Exclude<Asked['sortBy'], 'relevance'>) {
  const { db } = context.database;
  const { limit, offset, cursor } = asked;
  const [{ rows, total, nextCursor }, facets] = await Promise.all([
    listFiltered(db, words, asked, { sortBy, limit, offset, cursor }),
    countFacets(db, words, asked),
  ]);
  const hits = await showRows(context, rows, () => ({ score: null }));
  return { hits, facets, ...presentTotal(total), next_cursor: nextCursor };
}

async function showRanked(context: PortfolioContext, page: readonly Ranked[], score: (ranked: Ranked) => ShownScore) {
  const ranked = new Map(page.map((one) => [one.id, one]));
  const ids = [...ranked.keys()];
  const [found, extras] = await Promise.all([findServicesById(context.database.db, ids), findExtras(context, ids)]);
  const rows = new Map(found.map((row) => [row.id as string, row]));
  const inOrder = page.flatMap(({ id }) => rows.get(id) ?? []);
  return presentRows(inOrder, extras, ({ id }) => score(ranked.get(id) as Ranked));
}

async function showRows(context: PortfolioContext, rows: readonly ServiceRow[], score: (row: ServiceRow) => ShownScore) {
  const ids = rows.map(({ id }) => id);
  return presentRows(rows, await findExtras(context, ids), score);
}

/** Reads the presence of each service's agent, and a sample picture if there is one. */
async function findExtras(context: PortfolioContext, ids: readonly string[]) {
  const [signs, pictures] = await Promise.all([findSignsOfLife(context.database.db, ids), samplePictures(context, ids)]);
  return { signsOf: new Map(signs.map((row) => [row.id as string, row])), pictures };
}

type Extras = Awaited<ReturnType<typeof findExtras>>;

function presentRows(rows: readonly ServiceRow[], { signsOf, pictures }: Extras, score: (row: ServiceRow) => ShownScore) {
  return rows.map((row) => ({
    ...score(row),
    service: presentService(row),
    presence: presentPresence(signsOf.get(row.id) ?? unseen),
    sample_url: pictures.get(row.id) ?? null,
  }));
}

const unseen = { seenAt: null, seenLately: false, endpointFails: false };

async function showAgents(db: Db, page: readonly Ranked[], score: (ranked: Ranked) => ShownScore) {
  const ids = page.map(({ id }) => id);
  const agents = new Map((await findSummaries(db, ids)).map((agent) => [agent.id as string, agent]));
  return page.flatMap((ranked) => {
    const agent = agents.get(ranked.id);
    return agent === undefined ? [] : [{ ...score(ranked), agent }];
  });
}

/** The list of `search.services`, limited to services that became public in a period; the latest first. */
export async function findNewServices(
  db: Db,
  { q = '', ...filters }: SearchFilters & { readonly q?: string | undefined },
  listed: Period,
  limit: number,
): ReturnType<typeof listNewlyListed> {
  const { words } = await readQuery(db, q);
  if (words === undefined) return { rows: [], total: 0, totalCapped: false };
  return await listNewlyListed(db, words, filters, listed, limit);
}
