/** Metrics for operators, in Prometheus format. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { createRequestTimes } from './request-times.ts';

export interface Metrics {
  requestFinished(route: string, method: string, status: number, milliseconds: number): void;
  requestLimited(endpoint: string): void;
  /** This process refused a request because it is overloaded. */
  requestShed(reason: string): void;
  /** How a signed-out read got its answer: from memory, by waiting for another request, or made for it. */
  readyAnswer(outcome: 'kept' | 'waited' | 'made'): void;
  /** One call of an MCP tool. */
  toolFinished(tool: string, outcome: 'done' | 'refused' | 'failed', milliseconds: number): void;
  jobFinished(kind: string, outcome: 'done' | 'failed', milliseconds: number): void;
  webhookAttempted(outcome: 'delivered' | 'failed', milliseconds: number): void;
  /** Time from the commit of an event to its first attempt. */
  webhookWaited(milliseconds: number): void;
  /** `read` is called at each scrape. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  text(): Promise<string>;
}

const LATENCY_BUCKETS_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = createRequestTimes('market_http_request_seconds', 'Time to answer a request', LATENCY_BUCKETS_SECONDS);
  const limited = new Counter({
    name: 'market_rate_limited_total',
    help: 'Requests refused by the rate limiter',
    labelNames: ['endpoint'],
    registers: [registry],
  });
  const shed = new Counter({
    name: 'market_requests_shed_total',
    help: 'Requests refused because the process was overloaded',
    labelNames: ['reason'],
    registers: [registry],
  });
  const ready = new Counter({
    name: 'market_ready_requests_total',
    help: 'Signed-out reads by how they came by their answer',
    labelNames: ['outcome'],
    registers: [registry],
  });
  // Looked up once, because every read counts.
  const readyBy = { kept: ready.labels('kept'), waited: ready.labels('waited'), made: ready.labels('made') };
  const tools = new Histogram({
    name: 'market_mcp_tool_seconds',
    help: 'Time a call of an MCP tool took',
    labelNames: ['tool', 'outcome'],
    buckets: LATENCY_BUCKETS_SECONDS,
    registers: [registry],
  });
  const jobs = new Histogram({
    name: 'market_job_seconds',
    help: 'Time a job attempt took',
    labelNames: ['kind', 'outcome'],
    buckets: LATENCY_BUCKETS_SECONDS,
    registers: [registry],
  });
  const webhookAttempts = new Histogram({
    name: 'market_webhook_attempt_seconds',
    help: 'Time an attempt to deliver a webhook took',
    labelNames: ['outcome'],
    buckets: LATENCY_BUCKETS_SECONDS,
    registers: [registry],
  });
  const webhookWaits = new Histogram({
    name: 'market_webhook_wait_seconds',
    help: 'Time from an event to the beginning of its first attempt',
    buckets: [...LATENCY_BUCKETS_SECONDS, 60, 600],
    registers: [registry],
  });

  return {
    requestFinished: requests.observe,
    requestLimited: (endpoint) => limited.inc({ endpoint }),
    requestShed: (reason) => shed.inc({ reason }),
    readyAnswer: (outcome) => readyBy[outcome].inc(),
    toolFinished: (tool, outcome, ms) => tools.observe({ tool, outcome }, ms / 1000),
    jobFinished: (kind, outcome, ms) => jobs.observe({ kind, outcome }, ms / 1000),
    webhookAttempted: (outcome, ms) => webhookAttempts.observe({ outcome }, ms / 1000),
    webhookWaited: (ms) => webhookWaits.observe(ms / 1000),
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          this.set(await read());
        },
      });
    },
    text: async () => `${await registry.metrics()}\n${requests.text()}`,
  };
}
