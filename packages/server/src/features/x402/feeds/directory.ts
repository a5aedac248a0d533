/** Entries for catalogues of x402 resources: GET /api/x402/directory in version 1, GET /discovery/resources in version 2. */
import type { OperationAnswer, Operations } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import type { ServiceRow } from '../../services/index.ts';
import { type DiscoveredResource, firstVersionResource, secondVersionResource } from './discovered-resource.ts';
import { type FeedContext, pageOfPayables } from './payables.ts';

type Directory = OperationAnswer<Operations['x402']['directory']>;
type Page = Parameters<HandlersOf<'x402'>['directory']>[0];
type EntriesOf = (context: FeedContext, service: ServiceRow) => DiscoveredResource[];

const FIRST_PAGE = 50;

export function listDirectory(context: FeedContext): HandlersOf<'x402'>['directory'] {
  return async (query) => {
    const { items, pagination } = await pageOfEntries(context, 'directory', query, firstVersionResource);
    return { data: { x402Version: 1, count: items.length, resources: items }, x402Version: 1, items, pagination };
  };
}

export function listDiscoveryResources(context: FeedContext): HandlersOf<'x402'>['discoveryResources'] {
  return async (query) => ({ data: { x402Version: 2, ...(await pageOfEntries(context, 'discovery', query, secondVersionResource)) } });
}

async function pageOfEntries(
  context: FeedContext,
  key: string,
  { limit, offset, cursor }: Page,
  entriesOf: EntriesOf,
): Promise<Pick<Directory, 'items' | 'pagination'>> {
  const make = async () => {
    const page = await pageOfPayables(context, { limit, offset, cursor });
    return {
      items: page.rows.flatMap((row) => entriesOf(context, row)),
      pagination: { limit, offset, total: page.total, next_cursor: page.nextCursor },
    };
  };
  const first = cursor === undefined && offset === 0 && limit === FIRST_PAGE;
  return first ? await context.cache.keep(key, make) : await make();
}
