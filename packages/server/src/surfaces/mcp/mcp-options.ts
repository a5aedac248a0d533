/** Dependencies of the MCP surface. */
import type { CallerResolver } from '../../access/resolve-caller.ts';
import type { EventsContext } from '../../features/events/index.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { VersionReader } from '../../platform/versions/data-versions.ts';
import { STALLED_MS } from '../events/cut-off-stalled.ts';
import type { Executor } from '../execute-operation.ts';

export interface McpOptions {
  readonly executor: Executor;
  readonly resolver: CallerResolver;
  readonly events: EventsContext;
  /** Intervals of listening streams; absent: the defaults. */
  readonly listenPace?: ListenPace;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly serviceName: string;
  readonly versions: VersionReader;
  /** Memory for finished answers; 0 keeps none. */
  readonly readyBytes: number;
  /** Also serves the fixtures of the conformance suite; never in production. */
  readonly fixtures: boolean;
  /** URL of the site; the endpoint is `{appUrl}/mcp`. */
  readonly appUrl: string;
  /** URL of the API. If its host differs, it redirects to the endpoint. */
  readonly baseUrl: string;
  /** Origins whose pages may call the endpoint. */
  readonly trustedOrigins: ReadonlySet<string>;
}

export interface ListenPace {
  /** How long one wait for events lasts. */
  readonly waitMs: number;
  /** How long a stream may outlast an expired credential, besides one wait. */
  readonly recheckMs: number;
  /** A client that reads nothing for this long is disconnected. */
  readonly stalledMs: number;
}

export const LISTEN_PACE: ListenPace = { waitMs: 15_000, recheckMs: 30_000, stalledMs: STALLED_MS };

export const MCP_PATH = '/mcp';

export function endpointUrl({ appUrl }: Pick<McpOptions, 'appUrl'>): string {
  return `${appUrl}${MCP_PATH}`;
}
