/** The feeds of payable services, for programs and directories. */
import type { Call, HandlersOf } from '../../../access/call.ts';
import type { X402Context } from '../x402-context.ts';
import { listCatalogue } from './catalogue.ts';
import { listDirectory, listDiscoveryResources } from './directory.ts';
import { readManifest } from './manifest.ts';
import { describePayables } from './payable-openapi.ts';
import { searchPayables } from './search.ts';
import { listDemand } from './trending.ts';

type Feeds = Pick<
  HandlersOf<'x402'>,
  'services' | 'search' | 'trending' | 'directory' | 'discoveryResources' | 'manifest' | 'manifestFile' | 'openApi'
>;

/** The seconds for which caches of others may keep a feed. */
const FEED_SECONDS = 30;

export function feedHandlers(context: X402Context): Feeds {
  const manifest = shared(readManifest(context));
  return {
    services: shared(listCatalogue(context)),
    search: shared(searchPayables(context)),
    trending: shared(listDemand(context)),
    directory: shared(listDirectory(context)),
    discoveryResources: shared(listDiscoveryResources(context)),
    manifest,
    manifestFile: manifest,
    openApi: shared(describePayables(context)),
  };
}

/** Wraps a handler whose answer is the same for everybody, so that caches may store it. */
function shared<I, A>(handler: (input: I, call: Call) => Promise<A>): (input: I, call: Call) => Promise<A> {
  return async (input, call) => {
    const answer = await handler(input, call);
    call.setHeader('Cache-Control', `public, max-age=${FEED_SECONDS}`);
    call.setHeader('Vary', 'Origin');
    return answer;
  };
}
