/**
 * Limits pages per client address and minute. Counts in memory, because counting in the database would cost more than sending a kept page.
 */
import { MarketError } from '@market/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/clock/clock.ts';
import { createAddressBudget } from '../../platform/limits/address-budget.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';

export interface PageLimit {
  /** Counts a kept page. False beyond the limit. */
  admitsKept(clientAddress: string): boolean;
  /** Counts a page that must be rendered. Beyond the limit it sends a refusal and returns true. */
  refuses(request: FastifyRequest, reply: FastifyReply): Promise<boolean>;
}

export interface PageLimitOptions {
  readonly perMinute: number;
  readonly siteTimes: number;
  readonly clock: Pick<Clock, 'realNow'>;
  readonly metrics: Pick<Metrics, 'requestLimited'>;
}

/** Costs in units. Rendering a page costs about a hundred times as much as sending a kept one; this counts half of that. */
const MADE = 50;
const KEPT = 1;
const WINDOW_MS = 60_000;

export function createPageLimit({ perMinute, siteTimes, clock, metrics }: PageLimitOptions): PageLimit {
  const most = Math.max(1, Math.floor(perMinute));
  const budget = createAddressBudget({ budget: most * MADE, windowMs: WINDOW_MS, siteTimes });
  return {
    admitsKept: (clientAddress) => budget.take(clientAddress, KEPT).allowed,
    async refuses(request, reply) {
      const { allowed, resetsInMs } = budget.take(request.ip, MADE);
      if (allowed) return false;
      metrics.requestLimited('pages');
      const seconds = Math.max(1, Math.ceil(resetsInMs / 1000));
      reply.headers({
        'X-RateLimit-Limit': String(most),
        'X-RateLimit-Remaining': '0',
        'X-RateLimit-Reset': String(Math.ceil((clock.realNow().getTime() + resetsInMs) / 1000)),
      });
      const rule = `Your network address asked for more than ${most} pages within a minute.`;
      if (request.headers.accept?.includes('text/html') !== true)
        throw new MarketError('too_many_requests', { message: `${rule} Try again in ${seconds} s.`, retryAfterSeconds: seconds });
      await reply.code(429).header('Retry-After', String(seconds)).type('text/html; charset=utf-8').send(refusalPage(rule, seconds));
      return true;
    },
  };
}

function refusalPage(rule: string, seconds: number): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Too many pages</title></head>
<body>
<h1>Too many pages</h1>
<p>${rule} Wait ${seconds} seconds, then load this page again.</p>
<p>Programs read the same data, with their own limits, from the API: <a href="/llms.txt">/llms.txt</a>.</p>
</body>
</html>
`;
}
