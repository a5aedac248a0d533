/** Entries for catalogues of x402 resources: GET /api/x402/directory in version 1, GET /discovery/resources in version 2. */
import { type OperationAnswer, type Operations, operations, untrustedTextOf } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import type { ServiceRow } from '../../services/index.ts';
import type { X402Context } from '../x402-context.ts';
import { type DiscoveredResource, firstVersionResource, secondVersionResource } from './discovered-resource.ts';
import { pageOfPayables } from './payables.ts';

type Directory = OperationAnswer<Operations['x402']['directory']>;
type Page = Parameters<HandlersOf<'x402'>['directory']>[0];
type EntriesOf = (context: X402Context, service: ServiceRow) => DiscoveredResource[];

export function listDirectory(context: X402Context): HandlersOf<'x402'>['directory'] {
  return async (query) => {
    const { items, pagination } = await pageOfEntries(context, query, firstVersionResource);
    const untrusted_text = untrustedTextOf(operations.x402.directory);
    return { data: { x402Version: 1, count: items.length, resources: items }, x402Version: 1, items, pagination, untrusted_text };
  };
}

export function listDiscoveryResources(context: X402Context): HandlersOf<'x402'>['discoveryResources'] {
  return async (query) => ({
    data: {
      'x-untrusted-text': untrustedTextOf(operations.x402.discoveryResources),
      x402Version: 2,
      ...(await pageOfEntries(context, query, secondVersionResource)),
    },
  });
}

async function pageOfEntries(
  context: X402Context,
  { q: search, limit, offset, cursor }: Page,
  entriesOf: EntriesOf,
): Promise<Pick<Directory, 'items' | 'pagination'>> {
  const page = await pageOfPayables(context, { search, limit, offset, cursor });
  return {
    items: page.rows.flatMap((row) => entriesOf(context, row)),
    pagination: { limit, offset, total: page.total, next_cursor: page.nextCursor },
  };
}
