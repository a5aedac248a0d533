import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram, Registry } from 'prom-client';
import { createRequestTimes } from './request-times.ts';

const NAME = 'http_seconds';
const BOUNDS = [0.002, 0.05, 10];

/** Sorts lines and labels, whose order has no meaning in Prometheus. */
function readLines(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) =>
      line.replace(
        /\{(.*)\}/,
        (_all, labels: string) =>
          `{${labels
            .split(/,(?=\w+=)/)
            .sort()
            .join(',')}}`,
      ),
    )
    .sort();
}

test('the output of request times equals that of prom-client', async () => {
  const registry = new Registry();
  const theirs = new Histogram({
    name: NAME,
    help: 'Time to answer',
    labelNames: ['route', 'method', 'status'],
    buckets: BOUNDS,
    registers: [registry],
  });
  const ours = createRequestTimes(NAME, 'Time to answer', BOUNDS);
  for (const [route, method, status, ms] of [
    ['/api/agents/:id', 'GET', 200, 2],
    ['/api/agents/:id', 'GET', 200, 2.5],
    ['/api/agents/:id', 'GET', 404, 50],
    ['/api/agents/:id', 'POST', 200, 10_001],
    ['/a "quoted" \\ route', 'GET', 200, 0],
  ] as const) {
    theirs.observe({ route, method, status }, ms / 1000);
    ours.observe(route, method, status, ms);
  }
  assert.deepEqual(readLines(ours.text()), readLines(await registry.metrics()));
});
