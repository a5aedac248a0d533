/** What the MCP surface needs of the rest of the server. */
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
  /** How often a listening stream looks again; usual times without one. */
  readonly listenPace?: ListenPace;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly serviceName: string;
  readonly versions: VersionReader;
  /** Memory for finished answers; 0: every answer is made anew. */
  readonly readyBytes: number;
  /** Also serves what the conformance suite calls; never in production. */
  readonly fixtures: boolean;
  /** Where the endpoint is: `{appUrl}/mcp`. */
  readonly appUrl: string;
  /** Where the API is. Its host redirects to the endpoint if it is another one. */
  readonly baseUrl: string;
  /** Origins of pages that may call the endpoint. */
  readonly trustedOrigins: ReadonlySet<string>;
}

export interface ListenPace {
  /** How long one wait for events lasts. */
  readonly waitMs: number;
  /** How long a credential that ended by time may still listen, besides one wait. */
  readonly recheckMs: number;
  /** A client that reads nothing for this long is disconnected. */
  readonly stalledMs: number;
}

export const LISTEN_PACE: ListenPace = { waitMs: 15_000, recheckMs: 30_000, stalledMs: STALLED_MS };

export const MCP_PATH = '/mcp';

export function endpointUrl({ appUrl }: Pick<McpOptions, 'appUrl'>): string {
  return `${appUrl}${MCP_PATH}`;
}
