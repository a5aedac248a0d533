import { z } from 'zod';
import { bountyOperations } from '../../bounties/operations.ts';
import { savedSearchId } from '../../kernel/ids.ts';
import { line, wireTime } from '../../kernel/wire.ts';
import { searchOperations } from '../search/operations.ts';

export const savedSearchLists = ['services', 'bounties'] as const;
export type SavedSearchList = (typeof savedSearchLists)[number];

// Filters are those of the lists. Unknown filters are refused: dropping one silently would widen the search.

/** A new service has no rating yet, so `rating` could never match. */
const serviceFilters = searchOperations.services.input.query
  .omit({ rating: true, sortBy: true, explain: true, limit: true, offset: true, cursor: true })
  .strict();

/** Every new bounty is open, so `status` would filter nothing. */
const bountyFilters = bountyOperations.list.input.query
  .omit({ status: true, sort: true, facets: true, limit: true, offset: true, cursor: true })
  .strict();

export const savedSearchFilters = { services: serviceFilters, bounties: bountyFilters } as const;

const NAME_LENGTH = 80;

export const savedSearchBody = z
  .object({
    name: line(1, NAME_LENGTH, 'name').optional().describe('How your notifications call it; made from the filters unless given'),
    services: serviceFilters.optional().describe('Filters of `GET /api/search/services`, without `rating`: a new service has none'),
    bounties: bountyFilters.optional().describe('Filters of `GET /api/bounties`, without `status`: a new bounty is open'),
  })
  .refine(({ services, bounties }) => (services === undefined) !== (bounties === undefined), {
    path: ['services'],
    message: 'Give the filters of one list: services or bounties.',
  });

export const savedSearch = z
  .object({
    id: savedSearchId,
    name: z.string(),
    list: z.enum(savedSearchLists),
    services: serviceFilters.nullable().describe('The filters, if it is a search for services'),
    bounties: bountyFilters.nullable().describe('The filters, if it is a search for bounties'),
    url: z.string().describe('Opens the list on the site'),
    matches: z.int().min(0).describe('New matches since it was saved'),
    last_match_at: wireTime.nullable().describe('When there were some the last time'),
    created_at: wireTime,
  })
  .meta({ id: 'SavedSearch' });
