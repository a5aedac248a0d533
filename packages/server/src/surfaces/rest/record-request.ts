/** Writes one log line and one observation in the metrics for every answered request. */
import { type Logger, redactUrl } from '../../platform/telemetry/logger.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';

export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  readonly url: string;
  /** The route's pattern instead of the URL, to keep the number of metrics small. */
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly client: string;
}

/** Refusals for lack of capacity: their causes are logged separately, and under load there are thousands. */
const NOT_NOW = new Set([503, 507]);

export function recordRequest(log: Logger, metrics: Metrics, request: AnsweredRequest): void {
  const { route, method, status, milliseconds } = request;
  metrics.requestFinished(route, method, status, milliseconds);
  const level = status >= 500 && !NOT_NOW.has(status) ? 'error' : 'info';
  if (!log.isLevelEnabled(level)) return;
  log[level](
    {
      request_id: request.requestId,
      method,
      url: redactUrl(request.url),
      route,
      status,
      ms: Math.round(milliseconds * 10) / 10,
      client: request.client,
    },
    'request',
  );
}
