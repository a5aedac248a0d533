/** GET /api/x402/directory: entries for catalogues, where the readers of either form look for them. */
import type { OperationAnswer, Operations } from '@market/contract';
import type { HandlersOf } from '../../access/call.ts';
import { firstVersionResource } from './discovered-resource.ts';
import { type FeedContext, pageOfPayables } from './payables.ts';

type Directory = OperationAnswer<Operations['x402']['directory']>;

const FIRST_PAGE = 50;

export function listDirectory(context: FeedContext): HandlersOf<'x402'>['directory'] {
  return async ({ limit, offset, cursor }) => {
    const make = async (): Promise<Directory> => {
      const page = await pageOfPayables(context, { limit, offset, cursor });
      const resources = page.rows.flatMap((row) => firstVersionResource(context, row));
      return {
        data: { x402Version: 1, count: resources.length, resources },
        x402Version: 1,
        items: resources,
        pagination: { limit, offset, total: page.total, next_cursor: page.nextCursor },
      };
    };
    const first = cursor === undefined && offset === 0 && limit === FIRST_PAGE;
    return first ? await context.cache.keep('directory', make) : await make();
  };
}
